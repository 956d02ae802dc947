/** What the terminal is made with: the notice that the chart library asks for. */
import { Dialog } from '../parts/dialog.tsx'
import { closeDialog } from '../store/view.ts'
import { t } from '../words/words.ts'

export function About() {
  return (
    <Dialog title={t.about.title} onClose={closeDialog}>
      <p>
        {t.about.usesBefore}
        <a href="/docs">{t.about.reference}</a>
        {t.about.usesAfter}
      </p>
      <p>
        KLineChart
        <br />
        Copyright (c) 2019 lihu
        <br />
        TradingView Lightweight Charts
        <br />
        Copyright (c) 2019 TradingView, Inc.{' '}
        <a href="https://www.tradingview.com/" rel="noopener noreferrer" target="_blank">
          https://www.tradingview.com/
        </a>
      </p>
      <p class="quiet">{t.about.licence}</p>
    </Dialog>
  )
}
