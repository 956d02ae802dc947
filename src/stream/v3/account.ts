/**
 * The account and position channels of v3: what a unified account is worth, and all its open positions in each push.
 *
 * Ended    a position that has closed is shown once more, with nothing left, before those that are open
 * Source   wire/websocket.md §4 "account", "positions"
 */
import { accountValue, formatAmount, formatTicks, v3 } from '../../api/api.ts'
import { productLines } from '../../engine/catalog/catalog.ts'
import type { AccountPicture, ChannelState } from '../socket-protocol.ts'

export function accountRows(picture: AccountPicture, { coins }: ChannelState) {
  const value = accountValue(picture, coins)
  for (const { balance } of value.coins) coins.add(balance.coin)
  const record = v3.assetsRecord(value, picture.catalog)
  return [
    {
      totalEquity: record.accountEquity,
      effEquity: record.effEquity,
      unrealisedPnL: record.unrealisedPnl,
      imr: record.imr,
      mmr: record.mmr,
      mgnRatio: record.mgnRatio,
      positionMgnRatio: record.positionMgnRatio,
      bonus: '0',
      coin: record.assets.map(({ coin, equity, balance, available, locked, usdValue }, index) => {
        const { principal, interest } = value.coins[index].balance
        const owed = { borrow: formatAmount(principal), debts: formatAmount(interest) }
        return { coin, equity, balance, available, locked, ...owed, usdValue }
      }),
    },
  ]
}

export function positionRows({ core, catalog, account }: AccountPicture, { closed }: ChannelState) {
  const ended = closed.map((position) => {
    const instrument = catalog.instrument(position.instrument)
    const { markPrice } = core.query({ kind: 'prices', instrument: position.instrument })
    const now = { leverage: String(position.leverage), markPrice: formatTicks(markPrice, instrument) }
    return { ...endedRow(v3.closedPositionRecord(position, catalog)), ...now }
  })
  const open = productLines
    .flatMap((line) =>
      core.query({ kind: 'positions', uid: account.uid, interface: 'v3', line, instrument: undefined }),
    )
    .filter(({ quantity }) => quantity > 0)
    .map((position) => openRow(v3.positionRecord(position, catalog)))
  return [...ended, ...open]
}

function openRow(record: ReturnType<typeof v3.positionRecord>) {
  return {
    category: record.category,
    symbol: record.symbol,
    marginCoin: record.marginCoin,
    holdMode: record.holdMode,
    posSide: record.posSide,
    marginMode: record.marginMode,
    size: record.total,
    available: record.available,
    frozen: record.frozen,
    leverage: record.leverage,
    marginSize: record.positionBalance,
    avgPrice: record.avgPrice,
    markPrice: record.markPrice,
    breakEvenPrice: record.breakEvenPrice,
    liqPrice: record.liquidationPrice,
    mmr: record.mmr,
    unrealisedPnl: record.unrealisedPnl,
    curRealisedPnl: record.curRealisedPnl,
    profitRate: record.profitRate,
    totalFundingFee: record.totalFunding,
    openFeeTotal: record.openFeeTotal,
    closeFeeTotal: record.closeFeeTotal,
    positionStatus: record.positionStatus,
    createdTime: record.createdTime,
    updatedTime: record.updatedTime,
  }
}

function endedRow(record: ReturnType<typeof v3.closedPositionRecord>) {
  return {
    category: record.category,
    symbol: record.symbol,
    marginCoin: record.marginCoin,
    holdMode: record.holdMode,
    posSide: record.posSide,
    marginMode: record.marginMode,
    size: '0',
    available: '0',
    frozen: '0',
    marginSize: '0',
    avgPrice: record.openPriceAvg,
    breakEvenPrice: '',
    liqPrice: '',
    mmr: '',
    unrealisedPnl: '0',
    curRealisedPnl: record.cumRealisedPnl,
    profitRate: '',
    totalFundingFee: record.totalFunding,
    openFeeTotal: record.openFeeTotal,
    closeFeeTotal: record.closeFeeTotal,
    positionStatus: 'ended',
    createdTime: record.createdTime,
    updatedTime: record.updatedTime,
  }
}
