/**
 * What a press begins and the venue has to answer.
 *
 * Once   while it is under way another press begins nothing, also one that comes before the page has drawn that
 * Then   what follows when it went well, unless its dialog was closed meanwhile
 */
import { useEffect, useRef, useState } from 'preact/hooks'

export interface Act {
  readonly isUnderWay: boolean
  /** `run` answers true when it went well. */
  readonly begin: (run: () => Promise<boolean>, then: () => void) => void
}

export function useAct(): Act {
  const [isUnderWay, setIsUnderWay] = useState(false)
  const isBegun = useRef(false)
  const isThere = useRef(true)
  useEffect(
    () => () => {
      isThere.current = false
    },
    [],
  )
  const runOnce = async (run: () => Promise<boolean>, then: () => void) => {
    if (isBegun.current) return
    isBegun.current = true
    setIsUnderWay(true)
    try {
      if ((await run()) && isThere.current) then()
    } finally {
      isBegun.current = false
      setIsUnderWay(false)
    }
  }
  return { isUnderWay, begin: (run, then) => void runOnce(run, then) }
}
