/**
 * What a refusal means to a person, and what to do about it, by the venue's code. A code that is not here keeps the venue's
 * own sentence.
 *
 * Source  interface.md, errors; docs/interface.md. Codes of both versions stand together where they mean the same
 */

const sentences: readonly (readonly [meaning: string, ...codes: string[]])[] = [
  // Keys
  ['The API key is not known here. Check that it is of this venue.', '40006', '40037'],
  ['The secret does not fit the API key. Enter both again.', '40009'],
  ['The passphrase does not fit the API key. Enter it again.', '40012'],
  ['The clock of this device is too far off. Set it, and try again.', '40008'],
  ['The key lacks the permission for this. Use a key that has it.', '40014', '25620'],
  ['The key may not be used from this address. Use it from one of its list, or change the list.', '40018'],
  ['This account is of another mode and cannot do this.', '40084', '40085', '25245'],
  ['The account is frozen. Ask the venue.', '40024'],
  // Money
  [
    'There is not enough money for it. Take a smaller amount, or transfer money to this wallet.',
    '43012',
    '25202',
    '50020',
  ],
  [
    'There is not enough margin for it. Take a smaller quantity, a higher leverage, or transfer money.',
    '40762',
    '25203',
  ],
  ['The leverage allows no position so large. Lower the leverage, or take a smaller quantity.', '25233'],
  ['That is more than can be transferred: open positions and orders need the rest. Take less.', '43117'],
  ['That is more than this margin can change by. Take less.', '40801'],
  ['That is more than may be borrowed. Take less.', '50035'],
  ['The venue has no more of this coin to lend. Take less, or try later.', '50038'],
  ['There is less of the coin than that to repay with. Take less, or another coin.', '50041', '25217'],
  ['The amount has to be above zero.', '50040', '400172'],
  ['The amount has too many decimals for this coin.', '43124'],
  ['The amount is below the least that the venue takes. Take more.', '43114'],
  ['More than may be withdrawn in a day. Take less, or wait until tomorrow.', '43113'],
  ['The address is not one of this network. Check both.', '47002'],
  ['This network needs a tag beside the address.', '43116'],
  ['Deposits of this coin on this network are suspended. Take another network, or try later.', '47001'],
  ['Withdrawals of this coin on this network are suspended. Take another network, or try later.', '43126'],
  // Orders
  ['The price is above what the venue takes now. Take a lower price.', '40815', '25206', '43009'],
  ['The price is below what the venue takes now. Take a higher price.', '40816', '25205', '43008'],
  ['The quantity is below the least. Take more.', '45111', '25207', '43006', '50016'],
  ['The quantity is above the most of one order. Take less, or several orders.', '45112', '25208', '43007', '50017'],
  ['The value is below the least of an order. Take a larger quantity.', '45110', '25611'],
  ['The price does not lie on a step of this instrument.', '41103', '40808', '45115', '25244'],
  ['The quantity does not lie on a step of this instrument.', '22038', '25610'],
  ['There are as many open orders as the venue takes. Cancel some first.', '40761', '25211', '43005'],
  ['The order is not there any more: it was filled or canceled.', '43001', '25204', '40768'],
  ['The trigger order is not there any more: it was triggered or canceled.', '43025', '43020', '25597'],
  ['Nothing was changed.', '40923', '25571'],
  ['There is no position that it could reduce.', '22002', '25227', '40802'],
  ['The position is smaller than that. Take a smaller quantity.', '40757', '25225'],
  ['In hedge mode an order has to say which position it means.', '40774', '25236'],
  ['The take-profit of a long has to lie above the price.', '40915', '25585'],
  ['The stop-loss of a long has to lie below the price.', '40917', '25586'],
  ['The take-profit of a short has to lie below the price.', '45061', '25587'],
  ['The stop-loss of a short has to lie above the price.', '45122', '25588'],
  ['The instrument takes no orders now. Try later.', '41114', '25102', '50025', '40844'],
  ['The prices of this instrument are not certain now. Try again when they are.', '45043', '25106'],
  // Settings
  ['The position mode can change while no position and no order is open. Close them first.', '40920', '25010'],
  ['The margin mode can change while no position and no order of it is open. Close them first.', '45117'],
  ['The instrument does not have this leverage. Take a lower one.', '43050', '25223', '45044'],
  ['The margin is not enough for a leverage so low. Take a higher one, or transfer money.', '40893', '25228'],
  ['Too many requests in a second. Wait a moment, and try again.', '429'],
]

const byCode = new Map(sentences.flatMap(([meaning, ...codes]) => codes.map((code) => [code, meaning] as const)))

/** Undefined: the venue's own sentence is all there is. */
export function meaningOf(code: string): string | undefined {
  return byCode.get(code)
}
