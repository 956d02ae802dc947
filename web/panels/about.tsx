/** What the terminal is made with: the notice that the chart library asks for. */
import { Dialog } from '../parts/dialog.tsx'
import { closeDialog } from '../store/view.ts'

export function About() {
  return (
    <Dialog title="About this terminal" onClose={closeDialog}>
      <p>
        The trading terminal of Tidemark. It uses the venue’s public interface and streams only, as any client does: the{' '}
        <a href="/docs">reference</a> lists them.
      </p>
      <p>
        TradingView Lightweight Charts™
        <br />
        Copyright (с) 2025 TradingView, Inc.{' '}
        <a href="https://www.tradingview.com/" rel="noopener noreferrer" target="_blank">
          https://www.tradingview.com/
        </a>
      </p>
      <p class="quiet">Licensed under the Apache License, Version 2.0. Preact and @preact/signals: MIT.</p>
    </Dialog>
  )
}
