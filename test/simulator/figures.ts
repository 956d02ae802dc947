/** What is said of a series of numbers. */
export const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

export function correlation(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [mean(a), mean(b)]
  const product = mean(a.map((value, index) => (value - meanA) * (b[index] - meanB)))
  return (
    product / Math.sqrt(mean(a.map((value) => (value - meanA) ** 2)) * mean(b.map((value) => (value - meanB) ** 2)))
  )
}

/** With itself so many places later; the mean of several such lags. */
export function autocorrelation(values: readonly number[], lags: readonly number[]): number {
  return mean(lags.map((lag) => correlation(values.slice(lag), values.slice(0, -lag))))
}

/** 3 of a bell curve; more where large values are frequent. */
export function kurtosis(values: readonly number[]): number {
  return mean(values.map((value) => value ** 4)) / mean(values.map((value) => value ** 2)) ** 2
}

export function logReturns(prices: readonly number[]): number[] {
  return prices.slice(1).map((price, index) => Math.log(price / prices[index]))
}

/** The value that this share of them lies below or at. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
