/** A picture of a position to share: contract, side, leverage, return on its margin, entry and mark. It names no account. */
import { useEffect, useRef } from 'preact/hooks'
import { direction, shown, signedPercent } from '../numbers/format.ts'
import { Dialog } from '../parts/dialog.tsx'
import { notify } from '../store/notices.ts'
import { precisionOf } from '../store/market.ts'
import { theme } from '../store/theme.ts'
import { dateTime, zoneName } from '../store/times.ts'
import { profitAt } from '../trading/profit.ts'
import type { Position } from '../venue/account-records.ts'
import { t } from '../words/words.ts'

const width = 1080
const height = 608

interface SharePositionProps {
  readonly position: Position
  readonly mark: string
  readonly onClose: () => void
}

export function SharePosition({ position, mark, onClose }: SharePositionProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const facts = factsOf(position, mark)
  // As it was when it was asked for: a picture does not change under the hand.
  const taken = useRef(facts)
  useEffect(() => {
    if (canvas.current !== null) draw(canvas.current, taken.current)
  }, [theme.value])
  const withPicture = (take: (picture: Blob) => void) =>
    canvas.current?.toBlob((picture) => {
      if (picture !== null) take(picture)
    }, 'image/png')
  const save = (picture: Blob) => {
    const url = URL.createObjectURL(picture)
    const link = document.createElement('a')
    link.href = url
    link.download = `${position.symbol.toLowerCase()}-${position.side}.png`
    link.click()
    URL.revokeObjectURL(url)
  }
  const copy = (picture: Blob) =>
    navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]).then(
      () => notify('good', t.positions.pictureCopied),
      () => notify('bad', t.positions.pictureNotCopied, t.positions.copyForbidden),
    )
  const { title, roi, entry, mark: at } = taken.current
  return (
    <Dialog title={t.positions.pictureTitle(title)} onClose={onClose} wide>
      <canvas
        ref={canvas}
        class="picture"
        width={width}
        height={height}
        role="img"
        aria-label={t.positions.pictureLabel(title, roi, entry, at)}
      />
      <div class="pair">
        <button type="button" class="primary" data-testid="save-picture" onClick={() => withPicture(save)}>
          {t.positions.savePicture}
        </button>
        <button type="button" onClick={() => withPicture((picture) => void copy(picture))}>
          {t.common.copy}
        </button>
      </div>
    </Dialog>
  )
}

type Facts = ReturnType<typeof factsOf>

function factsOf(position: Position, mark: string) {
  const { category, symbol, side, leverage, margin, entryPrice } = position
  const { price } = precisionOf(category, symbol)
  const share = Number(margin) > 0 ? Number(profitAt(position, mark)) / Number(margin) : 0
  const now = Date.now()
  return {
    title: `${t.positionNamed(t.sides[side], symbol)} ${leverage}x`,
    side,
    roi: signedPercent(String(share)),
    tone: direction(share),
    entry: shown(entryPrice, price),
    mark: shown(mark, price),
    at: `${dateTime(now)} ${zoneName(now)}`,
  }
}

function draw(canvas: HTMLCanvasElement, { title, side, roi, tone, entry, mark, at }: Facts): void {
  const pen = canvas.getContext('2d')
  if (pen === null) return
  const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
  const write = (text: string, x: number, y: number, { size = 30, tint = 'text', weight = 400 } = {}) => {
    pen.font = `${weight} ${size}px system-ui, sans-serif`
    pen.fillStyle = colour(tint)
    pen.fillText(text, x, y)
  }
  pen.fillStyle = colour('bg')
  pen.fillRect(0, 0, width, height)
  pen.fillStyle = colour('panel')
  pen.fillRect(40, 40, width - 80, height - 80)
  pen.fillStyle = colour(side === 'long' ? 'up' : 'down')
  pen.fillRect(40, 40, 10, height - 80)
  write('Tidemark', 90, 110, { size: 30, weight: 700, tint: 'accent' })
  write(title, 90, 190, { size: 44, weight: 600 })
  write(roi, 90, 340, { size: 120, weight: 700, tint: tone === 'flat' ? 'text' : tone })
  write(t.positions.roi, 90, 390, { size: 24, tint: 'quiet' })
  write(t.positions.entry, 90, 455, { size: 24, tint: 'quiet' })
  write(entry, 90, 497, { size: 36 })
  write(t.positions.mark, 480, 455, { size: 24, tint: 'quiet' })
  write(mark, 480, 497, { size: 36 })
  write(at, 90, 545, { size: 22, tint: 'quiet' })
}
