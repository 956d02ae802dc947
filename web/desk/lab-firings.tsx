/** What the laboratory let go wrong, the newest first, with what was true of the order behind it. */
import { useEffect, useState } from 'preact/hooks'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { lab, type LabFiring, outcomeText } from '../venue/lab.ts'
import { faultText } from './operator.ts'

const lookEveryMs = 1_000
const rowsMax = 20

const columns: readonly Column<LabFiring>[] = [
  { title: 'When', cell: ({ at }) => new Date(at).toISOString().slice(11, 23) },
  { title: 'Fault', cell: ({ fault }) => fault, head: true },
  { title: 'Call', cell: ({ endpoint }) => endpoint ?? '–' },
  { title: 'Account', cell: ({ uid }) => uid ?? '–' },
  { title: 'In truth', cell: ({ outcome }) => outcomeText(outcome) },
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
    <Panel title="Firings of the laboratory">
      {fault !== '' && (
        <p class="alert" role="alert">
          {fault}
        </p>
      )}
      <Rows
        caption="Firings of the laboratory"
        columns={columns}
        rows={firings}
        keyOf={({ firing }) => String(firing)}
        empty="No fault has fired"
      />
    </Panel>
  )
}
