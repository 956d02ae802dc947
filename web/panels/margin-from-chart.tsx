/** A liquidation line was dragged: the margin that it would take, for a person to confirm. */
import { useEffect } from 'preact/hooks'
import { positions } from '../store/account.ts'
import { marginWanted } from '../store/margin-wanted.ts'
import { PositionMargin } from './position-dialogs.tsx'

export function MarginFromChart() {
  const wanted = marginWanted.value
  const position = positions.value.find(({ key }) => key === wanted?.key)
  const isOver = wanted !== undefined && position === undefined
  useEffect(() => {
    if (isOver) marginWanted.value = undefined
  }, [isOver])
  if (wanted === undefined || position === undefined) return null
  return (
    <PositionMargin
      position={position}
      operation={wanted.operation}
      amount={wanted.amount}
      onClose={() => (marginWanted.value = undefined)}
    />
  )
}
