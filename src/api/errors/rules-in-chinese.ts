/**
 * The rules that refusals name, in Chinese. Rules are written in English where they hold (parsing/fields.ts and the endpoints);
 * this is the only place that knows another language of theirs.
 *
 * Kept     names of fields, words of the interface, numbers and what was sent stand in both languages as they are
 * Unknown  a rule that is not here stays English: it is understood, if not read with pleasure
 * Source   design.md §4.21
 */

/** The first that fits is taken; `$1` and so on are what stays. */
const rules: readonly (readonly [english: RegExp, chinese: string])[] = [
  // fields
  [/should be one of (.+)$/, '须为以下之一: $1'],
  [/should be a decimal number:?$/, '须为十进制数字'],
  [/should be a number of at most (\d+) digits$/, '须为不超过 $1 位的数字'],
  [/should be Unix milliseconds$/, '须为 Unix 毫秒时间戳'],
  [/should be the cursor of an earlier answer$/, '须为先前返回的 cursor'],
  [/should be 0, or between (\d+) and (\d+)$/, '须为 0 或 $1 至 $2'],
  [/should be between (\d+) and (\d+), or max$/, '须为 $1 至 $2,或 max'],
  [/should be between (\d+) and (\d+)$/, '须为 $1 至 $2'],
  [/should be greater than 0$/, '须大于 0'],
  [/should be a (symbol|coin) of letters, digits, - and _$/, '须由字母、数字、- 和 _ 组成'],
  [/should be a list of at most (\d+) entries$/, '须为至多 $1 项的数组'],
  [/should be a list of (\d+) to (\d+) entries$/, '须为 $1 至 $2 项的数组'],
  [/should have (\d+) to (\d+) entries$/, '须有 $1 至 $2 项'],
  [/should have (\d+) to (\d+) letters, digits, (. : \/ _ -)$/, '须为 $1 至 $2 个字母、数字或 $3'],
  [/should have (\d+) to (\d+) letters and digits$/, '须为 $1 至 $2 位字母和数字'],
  [/should have (\d+) to (\d+) lower-case letters$/, '须为 $1 至 $2 个小写字母'],
  [/should have at most (\d+) characters$/, '不能超过 $1 个字符'],
  [/should have at most (\d+) values$/, '不能超过 $1 个值'],
  [/should have at most (\d+) bytes$/, '不能超过 $1 字节'],
  [/should match (.+)$/, '须匹配 $1'],
  [/should be an IPv4 address$/, '须为 IPv4 地址'],
  [/should be an object$/, '须为对象'],
  [/should be a list$/, '须为数组'],
  [/should be JSON$/, '须为 JSON'],
  [/should be Unicode text$/, '须为 Unicode 文本'],
  [/should be percent-encoded UTF-8$/, '须为百分号编码的 UTF-8'],
  [/should be given once$/, '只能出现一次'],
  [/is not as documented$/, '与文档不符'],
  [/should be at most ([\d.]+)$/, '不能超过 $1'],
  [/^at most ([\d.]+)$/, '最多 $1'],
  [/should be 1 to (\d+) numbers with commas between them$/, '须为 1 至 $1 个以逗号分隔的数字'],
  [/^a debt to repay$/, '有可还的负债'],
  [/ scale (\d+)$/, ' 小数位数不能超过 $1'],
  // orders
  [/should be the same in all orders of a batch$/, '在同一批订单中须相同'],
  [/is not offered in a batch$/, '不支持批量下单'],
  [/is not offered for margin orders$/, '不支持杠杆订单'],
  [/should be gtc when tpslType is tpsl$/, '在 tpslType 为 tpsl 时须为 gtc'],
  [/should be total for market buys and amount for the others$/, '市价买单须为 total,其他须为 amount'],
  [/should be futures for tpsl$/, '在 tpsl 时须为合约'],
  [/should be greater than the order price$/, '须高于委托价格'],
  [/should be less than the order price$/, '须低于委托价格'],
  [/^the trigger price should be greater than the price now/, '触发价须高于当前价格'],
  [/^the trigger price should be less than the price now/, '触发价须低于当前价格'],
  // what is not offered
  [/isolated spot margin is not offered$/, '不提供逐仓杠杆'],
  [/copy trading is not offered beyond the announced pairs of elite traders$/, '不提供跟单,仅限精英交易员的指定交易对'],
  [
    /conversion of small balances into BGB is not offered: the venue has no such coin$/,
    '不提供小额资产兑换 BGB,本平台没有该币种',
  ],
  [/earn products are not offered$/, '不提供理财'],
  [/P2P trading is not offered$/, '不提供 P2P 交易'],
  [/tax records are not offered; bills have every change of a wallet$/, '不提供税务记录;账单包含钱包的所有变动'],
  [/of the broker programme only subaccount-future-assets is offered$/, '经纪商接口仅提供 subaccount-future-assets'],
  [/crypto and institutional loans are not offered$/, '不提供质押借币和机构借贷'],
  [/trading bots are not offered$/, '不提供交易机器人'],
  [/stocks and their tokens are not offered$/, '不提供股票及其代币'],
  [
    /small amounts are not swept into one coin; convert\/trade converts one coin at a time$/,
    '不提供小额资产兑换;convert/trade 每次兑换一个币种',
  ],
  [/these statistics are not offered; those of v2 mix\/market are$/, '不提供这些统计数据;v2 mix/market 的统计数据可用'],
  [/the flow of funds is not counted$/, '不统计资金流向'],
  [/retail price improvement is not offered$/, '不提供散户价格改善'],
  [/a programme for market makers is not offered$/, '不提供做市商计划'],
  [/every account trades every symbol on the same terms$/, '所有账户以相同条件交易所有交易对'],
  [/margin of several coins is not offered to classic accounts$/, '经典账户不提供联合保证金'],
  [/v3 account\/switch changes the mode of an account$/, '请使用 v3 account/switch 更改账户模式'],
  [
    /margin\/crossed\/liquidation-history tells what was liquidated$/,
    '请使用 margin/crossed/liquidation-history 查询强平记录',
  ],
  [/sub-accounts and their keys are made by two calls$/, '子账户及其 API Key 须分别创建'],
  [/common\/trade-rate tells the rates of one instrument$/, '请使用 common/trade-rate 逐个查询费率'],
  [/there is no call auction$/, '没有集合竞价'],
  [/limits of requests are the same for all accounts$/, '所有账户的请求限额相同'],
  [/history-strategy-orders tells what became of a strategy$/, '请使用 history-strategy-orders 查询策略结果'],
  // conversions
  [/should be another coin than fromCoin$/, '须不同于 fromCoin'],
  [/should be of a quote that this account was given$/, '须为该账户获得的报价'],
  [/is of a quote that is over$/, '的报价已过期'],
  [/is of a quote that was used$/, '的报价已被使用'],
  [/should be that of the quote$/, '须与报价一致'],
  // deposits and withdrawals
  [/^size should have at most (\d+) decimals$/, 'size 小数位数不能超过 $1'],
  [/^address: no account has this number$/, 'address: 没有此编号的账户'],
  [/^(\S+) USD left today$/, '今日剩余 $1 USD'],
  // accounts
  [/should be MARGIN or futures$/, '须为 MARGIN 或合约'],
  [/should be cross in category MARGIN$/, '在 MARGIN 时须为 cross'],
  [/should be another account than (\w+)$/, '不能与 $1 为同一账户'],
  [/ (\w+) is not supported by a unified sub-account$/, ' 统一账户子账户不支持 $1'],
  [/ (\w+) is not supported by a classic sub-account$/, ' 经典账户子账户不支持 $1'],
  [/ (\w+) is no wallet of this account$/, ' 该账户没有 $1 钱包'],
  [/^the account has no such wallet$/, '该账户没有此钱包'],
  [/differs from (\w+) only in isolated hedge mode$/, '仅在逐仓双向持仓模式下可与 $1 不同'],
]

export function inChinese(fact: string): string {
  const found = rules.find(([english]) => english.test(fact))
  return found === undefined ? fact : fact.replace(found[0], found[1])
}
