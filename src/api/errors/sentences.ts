/**
 * The sentence of every code in both languages: [English, Chinese]. `{0}`, `{1}` are filled with the facts of the case.
 *
 * Source  wire/errors.md; design.md §4.21
 */
export const sentences = {
  // transport
  '429': ['Too Many Requests', '请求过于频繁'],
  '30032': ['The V1 API has been decommissioned. Please migrate to a newer version.', 'V1 接口已下线,请迁移至新版本'],
  '40007': ['Invalid Content_Type', 'Content_Type 无效'],
  '40010': ['Request timed out', '请求超时'],
  '40015': ['System is abnormal, please try again later', '系统异常,请稍后重试'],
  '40404': ['Request URL NOT FOUND {0}', '请求地址不存在 {0}'],
  '40409': ['wrong format', '格式错误'],
  '40725': ['service return an error', '服务返回错误'],
  '45001': ['Unknown error', '未知错误'],
  // keys
  '40001': ['ACCESS_KEY cannot be empty', 'ACCESS_KEY 不能为空'],
  '40002': ['ACCESS_SIGN cannot be empty', 'ACCESS_SIGN 不能为空'],
  '40003': ['Signature cannot be empty', '签名不能为空'],
  '40005': ['Invalid ACCESS_TIMESTAMP', 'ACCESS_TIMESTAMP 无效'],
  '40006': ['Invalid ACCESS_KEY', 'ACCESS_KEY 无效'],
  '40008': ['Request timestamp expired', '请求时间戳已过期'],
  '40009': ['sign signature error', '签名错误'],
  '40011': ['ACCESS_PASSPHRASE cannot be empty', 'ACCESS_PASSPHRASE 不能为空'],
  '40012': ['apikey/password is incorrect', 'apikey 或密码错误'],
  '40014': ['Incorrect permissions, need {0} permissions', '权限不足,需要 {0} 权限'],
  '40018': ['Invalid IP', 'IP 无效'],
  '40036': ['passphrase is error', 'passphrase 错误'],
  '40037': ['Apikey does not exist', 'Apikey 不存在'],
  '40048': ["The user's ApiKey must be the parent account", '必须使用母账户的 ApiKey'],
  '40084': [
    'You are in Classic Account mode, and the Unified Account API is not supported at this time',
    '您当前为经典账户模式,暂不支持统一账户接口',
  ],
  '40085': [
    'You are in Unified Account mode, and the Classic Account API is not supported at this time',
    '您当前为统一账户模式,暂不支持经典账户接口',
  ],
  // accounts
  '40013': ['User status is abnormal', '用户状态异常'],
  '40024': ['Account has been frozen', '账户已被冻结'],
  '40028': ['This subUid does not belong to this account', '该子账户不属于此账户'],
  '40029': [
    'This account is not a Broker, please apply to become a Broker first',
    '该账户不是经纪商,请先申请成为经纪商',
  ],
  '40063': ['API exceeds the maximum limit added: {0}', 'API 数量超过上限: {0}'],
  '40069': ['The maximum number of sub-accounts created has been reached: {0}', '已达到子账户数量上限: {0}'],
  '25009': ['Unsupported account mode switch: {0}', '不支持切换账户模式: {0}'],
  // parameters
  '00001': [
    'startTime and endTime interval cannot be greater than {0} days',
    'startTime 与 endTime 间隔不能超过 {0} 天',
  ],
  '40017': ['Parameter verification failed: {0}', '参数校验失败: {0}'],
  '400172': ['Parameter verification failed: {0}', '参数校验失败: {0}'],
  '40019': ['Parameter {0} cannot be empty', '参数 {0} 不能为空'],
  '40020': ['Parameter {0} error', '参数 {0} 错误'],
  '40034': ['Parameter {0} does not exist', '参数 {0} 不存在'],
  '40070': ['The {0} should have 8 to 32 letters and digits', '{0} 须为 8 至 32 位字母和数字'],
  '40078': ['Timestamp for this request is outside of the ME receiveWindow.', '请求时间戳超出 receiveWindow'],
  '40079': ['receiveWindow timestamp must be less than 60s', 'receiveWindow 不能超过 60 秒'],
  '40305': [
    'clientOid or clientOrderId length cannot greater than 64, and cannot be Martian characters',
    'clientOid 或 clientOrderId 长度不能超过 64,且不能包含特殊字符',
  ],
  '40306': ['Batch processing orders can only process up to 20', '批量下单最多 20 笔'],
  '40704': ['Can only check the data of the last three months', '只能查询最近三个月的数据'],
  '40705': ['The start and end time cannot exceed 90 days', '开始和结束时间的间隔不能超过 90 天'],
  '40707': ['Start time is greater than end time', '开始时间大于结束时间'],
  '40808': ['Parameter verification exception {0}', '参数校验异常 {0}'],
  '40812': ['The condition {0} is not met', '条件 {0} 不满足'],
  '40912': ['single cancel cannot exceed 50', '单次撤单不能超过 50 笔'],
  '40913': ['{0} must be passed one', '{0} 必须传其中之一'],
  '40924': ['orderId and clientOid must have one', 'orderId 和 clientOid 必须传其中之一'],
  '41103': ['param {0} error', '参数 {0} 错误'],
  '43011': ['The parameter does not meet the specification {0}', '参数不符合规范 {0}'],
  '43125': ['No more than 8 decimal places', '不能超过 8 位小数'],
  '50063': ['Token precision must less than or equal to eight', '币种精度必须小于或等于 8 位'],
  // instruments
  '22004': ['This symbol {0} not support API trade', '交易对 {0} 不支持 API 交易'],
  '40844': ['This contract is under temporary maintenance', '该合约临时维护中'],
  '41114': [
    'The current trading pair is under maintenance, please refer to the official announcement for the opening time',
    '当前交易对维护中,开放时间请关注官方公告',
  ],
  '50025': ['The trading pair is currently unavailable', '交易对当前不可用'],
  '40778': ['Coin pair {0} does not support {1} currency as margin', '交易对 {0} 不支持 {1} 作为保证金'],
  '43049': ['Margin coin is not allowed', '不允许该保证金币种'],
  // order quantity, value and price
  '22038': ['Please enter the quantity as an integral multiple of {0}', '数量必须为 {0} 的整数倍'],
  '40706': ['Wrong order price: {0}', '委托价格错误: {0}'],
  '40815': ['The order price is higher than the highest bid price {0}', '委托价格高于最高买价 {0}'],
  '40816': ['The order price is lower than the lowest selling price {0}', '委托价格低于最低卖价 {0}'],
  '43006': ['The order quantity is less than the minimum transaction quantity {0}', '委托数量小于最小交易数量 {0}'],
  '43007': ['The order quantity is greater than the maximum transaction quantity {0}', '委托数量大于最大交易数量 {0}'],
  '43008': ['The current order price cannot be less than {0}', '当前委托价格不能低于 {0}'],
  '43009': ['The current order price exceeds the limit {0}', '当前委托价格超过限制 {0}'],
  '45110': ['less than the minimum amount {0} {1}', '小于最小下单金额 {0} {1}'],
  '45111': ['less than the minimum order quantity {0}', '小于最小下单数量 {0}'],
  '45112': ['more than the maximum order quantity {0}', '大于最大下单数量 {0}'],
  '45115': ['The price you enter should be a multiple of {0}', '输入的价格应为 {0} 的倍数'],
  '50016': [
    'The number of open orders is smaller than the minimum limit of the trading pair {0}',
    '委托数量小于交易对最小限制 {0}',
  ],
  '50017': [
    'The number of open orders is bigger than the maximum limit of the trading pair {0}',
    '委托数量大于交易对最大限制 {0}',
  ],
  // balance and size
  '40762': ['The order size is greater than the max open size', '委托数量大于最大可开数量'],
  '43012': ['Insufficient balance', '余额不足'],
  '43037': ['The minimum order amount allowed for trading is {0}', '最小交易数量为 {0}'],
  '43038': ['The maximum order amount allowed for trading is {0}', '最大交易数量为 {0}'],
  '50020': ['Insufficient balance', '余额不足'],
  // orders
  '40109': [
    'The data of the order cannot be found, please confirm the order number',
    '查询不到该订单数据,请确认订单号',
  ],
  '40761': ['The total number of unfilled orders is too high', '未成交订单总数过多'],
  '40768': ['Order does not exist', '订单不存在'],
  '40786': ['Duplicate clientOid', 'clientOid 重复'],
  '43001': ['The order does not exist', '订单不存在'],
  '43005': ['Exceed the maximum number of orders', '超过最大委托数量'],
  '40022': ['The business of this account has been restricted: {0}', '该账户业务受限: {0}'],
  '22003': ['modify price and size, please pass in newClientOid', '修改价格和数量时请传 newClientOid'],
  '25568': [
    'The order does not meet the modification requirements: it only reduces a position',
    '该订单不满足修改要求: 只减仓委托',
  ],
  '40923': ['Order size and price have not changed', '订单数量和价格没有变化'],
  // trigger orders
  '40891': ['Insufficient position, can not set take profit or stop loss', '仓位不足,无法设置止盈止损'],
  '40915': ['Long position take profit price please > mark price {0}', '多仓止盈价须大于标记价格 {0}'],
  '40917': ['Stop price for long positions please < mark price {0}', '多仓止损价须小于标记价格 {0}'],
  '43020': ['Stop profit and stop loss order does not exist', '止盈止损订单不存在'],
  '43025': ['Plan order does not exist', '计划委托不存在'],
  '45061': ['TP price of short position < Current price {0}', '空仓止盈价须小于当前价格 {0}'],
  '45122': ['Short position stop loss price please > mark price {0}', '空仓止损价须大于标记价格 {0}'],
  // positions
  '22002': ['No position to close', '没有可平仓位'],
  '40801': ['Cannot exceed the maximum transferable deposit amount', '不能超过最大可划转保证金数量'],
  '40802': ['Position is zero and direct margin call is not allowed', '仓位为零,不允许直接追加保证金'],
  '40874': ['Whole position mode does not support automatic margin call', '全仓模式不支持自动追加保证金'],
  '40875': ['Whole position mode does not support margin adjustment', '全仓模式不支持调整保证金'],
  '40757': ['Not enough position is available.', '可用仓位不足'],
  '40774': [
    'The order type for unilateral position must also be the unilateral position type.',
    '单向持仓的委托类型也必须为单向持仓类型',
  ],
  '40920': ['Position or order exists, the position mode cannot be switched', '存在仓位或委托,无法切换持仓模式'],
  // leverage and margin mode
  '40893': [
    'Unable to update the leverage factor of this position, there is not enough margin!',
    '保证金不足,无法调整该仓位杠杆',
  ],
  '43050': ['Leverage exceeds the effective range', '杠杆超出有效范围'],
  '45043': ['Due to settlement or maintenance reasons, the trade is suspended', '由于结算或维护原因,交易暂停'],
  '45044': ['Leverage is not within the suitable range after adjustment', '调整后杠杆不在合适范围内'],
  '45116': [
    'The count of positions hold by the account exceeds the maximum count {0}',
    '账户持有的仓位数量超过最大数量 {0}',
  ],
  '45117': [
    'Currently holding positions or orders, the margin mode cannot be adjusted',
    '当前持有仓位或委托,无法调整保证金模式',
  ],
  '40872': [
    'Failed to adjust position, currently holding position or order or plan order',
    '调整失败,当前持有仓位、委托或计划委托',
  ],
  // transfers
  '42013': ['transfer fail: {0}', '划转失败: {0}'],
  '43117': ['Exceeds the maximum amount that can be transferred', '超过最大可划转数量'],
  '43127': [
    'Sub transfer not by main account, or main/sub relationship error',
    '子账户划转未由母账户发起,或母子关系错误',
  ],
  '43129': ['Transfer coin not support or invalid coin', '不支持该划转币种或币种无效'],
  // borrowing
  '50035': ['The maximum borrowing amount is exceeded: {0}', '超过最大可借数量: {0}'],
  '50038': ['The system limit is exceeded: {0}', '超过系统限额: {0}'],
  '50037': ['This currency cannot be borrowed', '该币种不可借'],
  '50040': ['The repayment amount must be more than 0', '还款数量必须大于 0'],
  '50041': ['The repayment amount must be less than your available balance', '还款数量必须小于可用余额'],
  '50034': ['The borrowing amount must be over 0.00000001', '借款数量必须大于 0.00000001'],
} as const satisfies Record<string, readonly [english: string, chinese: string]>

export type Code = keyof typeof sentences
