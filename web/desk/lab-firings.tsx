/** What the laboratory let go wrong, the newest first, with what was true of the order behind it. */
import { useEffect, useState } from 'preact/hooks'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { lab, type LabFiring, outcomeText } from '../venue/lab.ts'
import { faultText } from './operator.ts'
import { desk } from '../words/desk.ts'

const lookEveryMs = 1_000
const rowsMax = 20

const columns = (): readonly Column<LabFiring>[] => [
  { title: desk.firings.when, cell: ({ at }) => new Date(at).toISOString().slice(11, 23) },
  { title: desk.firings.fault, cell: ({ fault }) => <span lang="en">{fault}</span>, head: true },
  { title: desk.firings.call, cell: ({ endpoint }) => <span lang="en">{endpoint ?? '–'}</span> },
  { title: desk.page.account, cell: ({ uid }) => uid ?? '–' },
  { title: desk.firings.truth, cell: ({ outcome }) => outcomeText(outcome) },
]

export function LabFirings() {
  const [firings, setFirings] = useState<readonly LabFiring[]>([])
  const [fault, setFault] = useState('')
  useEffect(() => {
    const look = () =>
      lab<readonly LabFiring[]>('GET', '/firings?limit=10000')
        .then((all) => {
          setFirings(all.slice(-rowsMax).toReversed())
          setFault('')
        })
        .catch((error: unknown) => setFault(faultText(error)))
    void look()
    const looking = setInterval(() => void look(), lookEveryMs)
    return () => clearInterval(looking)
  }, [])
  return (
    <Panel title={desk.firings.title}>
      {fault !== '' && (
        <p class="alert" role="alert">
          {fault}
        </p>
      )}
      <Rows
        caption={desk.firings.title}
        columns={columns()}
        rows={firings}
        keyOf={({ firing }) => String(firing)}
        empty={desk.firings.empty}
      />
    </Panel>
  )
}
