/**
 * A request that would rather fail than be late: `requestTime` says when it was made, `receiveWindow` for how long after
 * that it may take effect.
 *
 * Both     have to be there, else neither counts; a window over 60 seconds is refused (40079)
 * Late     by the venue's clock and by the system's: 40078, and nothing was done
 * Source   wire/auth.md §3; wire/errors.md
 */
import Type from 'typebox'
import { ApiError } from '../errors/errors.ts'
import { timestamp, whole } from './fields.ts'

const windowMsMax = 60_000

/** Fields of the requests that have it. */
export const receiveWindowFields = {
  requestTime: Type.Optional(timestamp()),
  receiveWindow: Type.Optional(
    whole(0, Number.MAX_SAFE_INTEGER, { description: 'Milliseconds after requestTime, at most 60000' }),
  ),
}

/** `isOver` knows whether a moment lies in the past. */
export function checkReceiveWindow(
  { requestTime, receiveWindow }: { readonly requestTime?: number; readonly receiveWindow?: number },
  isOver: (moment: number) => boolean,
): void {
  if (requestTime === undefined || receiveWindow === undefined) return
  if (receiveWindow > windowMsMax) throw new ApiError('40079')
  if (isOver(requestTime + receiveWindow)) throw new ApiError('40078')
}
