/**
 * The file of a script: YAML, or JSON, which is YAML, too.
 *
 *   symbol: BTCUSDT                    of steps that name none; category as well
 *   makers: [{symbol, levels, spreadBps, size, refresh, follow, skew}]
 *   steps:  a list of `at 10s: ask 60000x2`, a mapping of them, or one text with a semicolon or a new line between them
 *
 * Shorter   a file that is nothing but steps needs no `steps:`
 * Wrong     the first thing that is wrong is refused, with its line, its field and the rule
 * Source    lab.md §4.10
 */
import { isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import type { Category, Instrument } from '../../engine/catalog/catalog.ts'
import { lots, parseDecimal, type Ticks, ticks } from '../../engine/numbers/numbers.ts'
import { LabRefusal } from '../refusals.ts'
import { instrumentOf, priceText, quantityText } from '../things.ts'
import { readDuration } from '../times.ts'
import type { LabVenue } from '../venue.ts'
import type { Action, MakerPlan, Plan, StepPlan } from './plan.ts'

const makersMax = 20
const stepsMax = 10_000
const levelsMax = 50
const refreshMsMin = 100

export interface ScriptFile {
  readonly text: string
  /** What messages call it; undefined: it came as a body, and has no lines. */
  readonly file: string | undefined
}

/** Where something stands in the file. */
interface Place {
  readonly field: string
  readonly node: Node | undefined
}

/** Throws LabRefusal. */
export function readScript(venue: LabVenue, sent: ScriptFile): Plan {
  return new ScriptReader(venue, sent).read()
}

const number = '[0-9]+(?:\\.[0-9]+)?'
const named = '(?:\\s+((?=[A-Z0-9]*[A-Z])[A-Z0-9]{2,30}))?'
const forms = {
  rest: new RegExp(`^(bid|ask)${named}\\s+(${number})\\s*[x×]\\s*(${number})$`),
  trade: new RegExp(`^trade\\s+(buy|sell)${named}\\s+(${number})(?:\\s*@\\s*(${number}))?$`),
  cancel: new RegExp(`^cancel${named}(?:\\s+(bids|asks))?$`),
  index: new RegExp(`^index${named}\\s+(${number})$`),
} as const
const actionRule =
  'is one of `bid [SYMBOL] PRICExSIZE`, `ask [SYMBOL] PRICExSIZE`, `trade buy|sell [SYMBOL] SIZE [@ PRICE]`, ' +
  '`cancel [SYMBOL] [bids|asks]` and `index [SYMBOL] PRICE`'

class ScriptReader {
  readonly #venue: LabVenue
  readonly #sent: ScriptFile
  readonly #lines = new LineCounter()
  #symbol: string | undefined
  #category: Category | undefined

  constructor(venue: LabVenue, sent: ScriptFile) {
    this.#venue = venue
    this.#sent = sent
  }

  read(): Plan {
    const document = parseDocument(this.#sent.text, { lineCounter: this.#lines, prettyErrors: false })
    const [fault] = document.errors
    if (fault !== undefined) {
      const { line } = this.#lines.linePos(fault.pos[0])
      throw this.#refusal('', `is to be YAML or JSON: ${fault.message.split('\n')[0]}`, line)
    }
    const root: Place = { field: '', node: document.contents ?? undefined }
    if (document.contents === null) return this.#whole(undefined, [], [])
    const parts = this.#partsOf(root)
    if (parts === undefined) return this.#whole(undefined, [], this.#stepsOf(root))
    for (const [name, place] of parts) {
      if (!['name', 'symbol', 'category', 'makers', 'steps'].includes(name)) throw this.#wrong(place, 'is not known')
    }
    const text = (name: string) => {
      const place = parts.get(name)
      if (place === undefined) return undefined
      const value = this.#valueOf(place)
      if (typeof value !== 'string' || !/^[A-Za-z0-9-]{1,32}$/.test(value)) {
        throw this.#wrong(place, 'is a word of 1 to 32 letters, digits and hyphens')
      }
      return value
    }
    this.#symbol = text('symbol')
    this.#category = this.#categoryOf(parts.get('category'))
    const makers = this.#listOf(parts.get('makers'), makersMax).map((place) => this.#makerOf(place))
    const steps = parts.get('steps')
    return this.#whole(text('name'), makers, steps === undefined ? [] : this.#stepsOf(steps))
  }

  #whole(name: string | undefined, makers: readonly MakerPlan[], steps: readonly StepPlan[]): Plan {
    if (makers.length === 0 && steps.length === 0) throw this.#refusal('', 'has makers or steps', 1)
    return { name, makers, steps: steps.toSorted((a, b) => a.atMs - b.atMs) }
  }

  /** Of a mapping that is not made of steps. */
  #partsOf({ node }: Place): Map<string, Place> | undefined {
    const fields = isMap(node) ? this.#fieldsOf({ field: '', node }) : undefined
    const isSteps = fields === undefined || [...fields.keys()].some((name) => /^at\s/.test(name))
    return isSteps ? undefined : fields
  }

  #fieldsOf(place: Place): Map<string, Place> {
    const { node, field } = place
    if (!isMap(node)) throw this.#wrong(place, 'is a mapping')
    return new Map(
      node.items.map(({ key, value }) => {
        const name = isScalar(key) ? String(key.value) : ''
        const at = isNode(value) ? value : isNode(key) ? key : undefined
        return [name, { field: field === '' ? name : `${field}.${name}`, node: at }] as const
      }),
    )
  }

  #listOf(place: Place | undefined, most: number): Place[] {
    if (place === undefined) return []
    const { node, field } = place
    if (!isSeq(node)) throw this.#wrong(place, 'is a list')
    if (node.items.length > most) throw this.#wrong(place, `has at most ${most} entries`)
    return node.items.map((item, at) => ({ field: `${field}[${at}]`, node: isNode(item) ? item : undefined }))
  }

  #valueOf({ node }: Place): unknown {
    return isScalar(node) ? node.value : undefined
  }

  #makerOf(place: Place): MakerPlan {
    const fields = this.#fieldsOf(place)
    for (const [name, at] of fields) {
      if (!makerFields.includes(name)) throw this.#wrong(at, `is not known; a maker has ${makerFields.join(', ')}`)
    }
    const at = (name: string): Place => fields.get(name) ?? { field: `${place.field}.${name}`, node: place.node }
    const within = (name: string, usual: number, least: number, most: number, isWhole = false) => {
      if (!fields.has(name)) return usual
      const value = Number(this.#valueOf(at(name)))
      const isIt = value >= least && value <= most && (!isWhole || Number.isInteger(value))
      if (!isIt) throw this.#wrong(at(name), `is a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}`)
      return value
    }
    const category = this.#categoryOf(fields.get('category'))
    const instrument = this.#instrumentOf(at('symbol'), this.#textOf(fields.get('symbol')), category)
    const refresh = fields.has('refresh') ? readDuration(this.#valueOf(at('refresh'))) : 1_000
    if (refresh === undefined || refresh < refreshMsMin) {
      throw this.#wrong(at('refresh'), `is a duration of at least ${refreshMsMin}ms`)
    }
    const follow = this.#textOf(fields.get('follow')) ?? 'index'
    if (follow !== 'index' && follow !== 'mid') throw this.#wrong(at('follow'), 'is index or mid')
    const size = this.#textOf(fields.get('size'))
    if (size === undefined) throw this.#wrong(at('size'), 'is required')
    return {
      instrument: instrument.id,
      levels: within('levels', 5, 1, levelsMax, true),
      spreadBps: within('spreadBps', 10, 0.01, 5_000),
      size: lots(this.#stepsIn(at('size'), instrument, size, 'size')),
      refreshMs: refresh,
      follow,
      skew: within('skew', 0, -10, 10),
    }
  }

  #stepsOf(place: Place): StepPlan[] {
    const texts = this.#stepTexts(place)
    if (texts.length > stepsMax) throw this.#wrong(place, `has at most ${stepsMax} steps`)
    return texts.map(({ text, ...at }) => this.#stepOf(text, at))
  }

  /** Every step as one text, however it was written. */
  #stepTexts(place: Place): (Place & { readonly text: string })[] {
    const { node } = place
    if (isSeq(node)) return this.#listOf(place, stepsMax).flatMap((item) => this.#stepTexts(item))
    if (isMap(node)) {
      return [...this.#fieldsOf(place)].flatMap(([key, value]) => {
        const actions = isSeq(value.node) ? this.#listOf(value, stepsMax) : [value]
        return actions.map((action) => ({ ...action, text: `${key}: ${this.#textOf(action) ?? ''}` }))
      })
    }
    const text = this.#textOf(place)
    if (text === undefined) throw this.#wrong(place, 'is a step such as `at 10s: ask 60000x2`')
    return text.split(/[;\n]/).flatMap((part) => (part.trim() === '' ? [] : [{ ...place, text: part.trim() }]))
  }

  #stepOf(text: string, place: Place): StepPlan {
    const [, when, action] = /^at\s+(\S+)\s*:\s*(.*)$/.exec(text) ?? []
    if (when === undefined) throw this.#wrong(place, '`' + text.slice(0, 80) + '` is to be `at DURATION: ACTION`')
    const atMs = readDuration(when)
    if (atMs === undefined) throw this.#wrong(place, `\`at ${when.slice(0, 40)}\`: is a duration such as 250ms or 10s`)
    return { atMs, action: this.#actionOf(action.trim(), place), text }
  }

  #actionOf(text: string, place: Place): Action {
    const rest = forms.rest.exec(text)
    if (rest !== null) {
      const [, word, symbol, price, size] = rest
      const instrument = this.#instrumentOf(place, symbol)
      const side = word === 'bid' ? 'buy' : 'sell'
      return { kind: 'rest', instrument: instrument.id, side, ...this.#orderOf(place, instrument, price, size) }
    }
    const trade = forms.trade.exec(text)
    if (trade !== null) {
      const [, side, symbol, size, price] = trade
      const instrument = this.#instrumentOf(place, symbol)
      const order = this.#orderOf(place, instrument, price, size)
      return {
        kind: 'trade',
        instrument: instrument.id,
        side: side as 'buy' | 'sell',
        ...order,
        price: price === undefined ? undefined : order.price,
      }
    }
    const cancel = forms.cancel.exec(text)
    if (cancel !== null) {
      const [, symbol, which] = cancel
      const side = which === undefined ? undefined : which === 'bids' ? 'buy' : 'sell'
      return { kind: 'cancel', instrument: this.#instrumentOf(place, symbol).id, side }
    }
    const index = forms.index.exec(text)
    if (index === null) throw this.#wrong(place, `\`${text.slice(0, 80)}\` ${actionRule}`)
    const { base: coin, quote } = this.#instrumentOf(place, index[1])
    const priceE8 = parseDecimal(index[2], 8)
    if (typeof priceE8 !== 'bigint' || priceE8 === 0n) throw this.#wrong(place, 'a price is a decimal above 0')
    return { kind: 'index', coin, quote, priceE8 }
  }

  #orderOf(place: Place, instrument: Instrument, price: string | undefined, size: string) {
    const at: Ticks = price === undefined ? ticks(1) : ticks(this.#stepsIn(place, instrument, price, 'price'))
    return { price: at, size: lots(this.#stepsIn(place, instrument, size, 'size')) }
  }

  /** Whole steps, above zero. */
  #stepsIn(place: Place, instrument: Instrument, text: string, of: 'price' | 'size'): number {
    const { priceDecimals, priceStep, quantityDecimals, quantityStep } = instrument
    const [decimals, step] = of === 'price' ? [priceDecimals, priceStep] : [quantityDecimals, quantityStep]
    const scaled = parseDecimal(text, decimals)
    const one = of === 'price' ? priceText(instrument, 1) : quantityText(instrument, 1)
    const isWhole = typeof scaled === 'bigint' && scaled > 0n && scaled % BigInt(step) === 0n
    const count = isWhole ? Number(scaled / BigInt(step)) : 0
    if (count < 1 || count > 2 ** 52)
      throw this.#wrong(place, `${text}: a ${of} of ${instrument.symbol} is a multiple of ${one}`)
    return count
  }

  #instrumentOf(place: Place, symbol = this.#symbol, category = this.#category): Instrument {
    if (symbol === undefined) throw this.#wrong(place, 'names no symbol, and the script has none')
    try {
      return instrumentOf(this.#venue, symbol, place.field, category)
    } catch (error) {
      if (!(error instanceof LabRefusal)) throw error
      throw this.#wrong(place, `there is no instrument ${symbol}${category === undefined ? '' : ` in ${category}`}`)
    }
  }

  #categoryOf(place: Place | undefined): Category | undefined {
    if (place === undefined) return undefined
    const text = this.#textOf(place)
    const found = categories.find((known) => known === text)
    if (found === undefined) throw this.#wrong(place, `is one of ${categories.join(', ')}`)
    return found
  }

  #textOf(place: Place | undefined): string | undefined {
    const value = place === undefined ? undefined : this.#valueOf(place)
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  }

  #wrong({ field, node }: Place, rule: string): LabRefusal {
    return this.#refusal(field, rule, this.#lines.linePos(node?.range?.[0] ?? 0).line)
  }

  #refusal(field: string, rule: string, lineInText: number): LabRefusal {
    const { file } = this.#sent
    const line = file === undefined ? undefined : Math.max(1, lineInText)
    const where = file === undefined ? '' : `${file}:${line}: `
    const facts = { ...(file !== undefined && { file, line }), field: field === '' ? 'script' : field, rule }
    return new LabRefusal(400, 'file-wrong', `${where}${facts.field} ${rule}`, facts)
  }
}

const makerFields: readonly string[] = [
  'symbol',
  'category',
  'levels',
  'spreadBps',
  'size',
  'refresh',
  'follow',
  'skew',
]
const categories = ['SPOT', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const
