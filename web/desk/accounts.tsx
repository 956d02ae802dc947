/** Accounts: found by a part of their number or name, and one of them opened beside the list. */
import { useEffect, useState } from 'preact/hooks'
import { money } from '../numbers/format.ts'
import { Panel } from '../parts/panel.tsx'
import { AccountPanel } from './account.tsx'
import { CreateAccount } from './account-dialogs.tsx'
import { at, go, place } from './place.ts'
import type { Account, AccountPage } from './records.ts'
import { usePages } from './use-pages.ts'
import { desk } from '../words/desk.ts'
import { named, t } from '../words/words.ts'

const pageSize = 50
const typingMs = 250

export function Accounts() {
  const [typed, setTyped] = useState('')
  const [search, setSearch] = useState('')
  const [creating, setCreating] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), typingMs)
    return () => clearTimeout(timer)
  }, [typed])
  const { rows, fault, more } = usePages(
    'accounts',
    { limit: pageSize, worth: 'yes', search: search === '' ? undefined : search },
    ({ accounts, next }: AccountPage) => ({ rows: accounts, next }),
  )
  const chosen = place.value.item
  return (
    <div class="beside" data-chosen={chosen !== ''}>
      <Panel
        title={desk.accounts.title}
        class="fills list"
        aside={
          <button type="button" class="primary" onClick={() => setCreating(true)}>
            {desk.accounts.create}
          </button>
        }
      >
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault()
            // Whoever has the whole number need not wait for the search.
            if (/^\d{10,}$/.test(typed.trim())) go(at('accounts', typed.trim()))
            else if (rows?.[0] !== undefined) go(at('accounts', rows[0].uid))
          }}
        >
          <input
            class="search"
            type="search"
            aria-label={desk.accounts.search}
            placeholder={desk.accounts.placeholder}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </form>
        <div class="scrolls">
          {fault !== '' && (
            <p class="alert" role="alert">
              {fault}
            </p>
          )}
          {rows === undefined ? (
            <p class="empty">{fault === '' && t.common.reading}</p>
          ) : (
            <ul class="account-list" aria-label={desk.accounts.title}>
              {rows.map((account) => (
                <li key={account.uid}>
                  <AccountLine account={account} current={account.uid === chosen} />
                </li>
              ))}
            </ul>
          )}
          {rows?.length === 0 && more === undefined && <p class="empty">{desk.accounts.noneCalled(search)}</p>}
          {more !== undefined && (
            <button type="button" class="quiet-button more" onClick={more}>
              {search === '' ? desk.page.more : desk.accounts.searchOn}
            </button>
          )}
        </div>
      </Panel>
      {chosen === '' ? (
        <section class="panel detail" aria-label={desk.page.account}>
          <p class="empty">{desk.accounts.choose}</p>
        </section>
      ) : (
        <AccountPanel key={chosen} uid={chosen} />
      )}
      {creating && <CreateAccount onClose={() => setCreating(false)} />}
    </div>
  )
}

function AccountLine({ account, current }: { account: Account; current: boolean }) {
  const { uid, name, kind, mode, frozen, equityUsdt } = account
  return (
    <a class="account-line" href={at('accounts', uid)} aria-current={current ? 'true' : undefined}>
      <span class="who">
        <strong>{name === '' ? uid : name}</strong>
        <span class="quiet">{name === '' ? desk.accounts.kinds[kind] : uid}</span>
      </span>
      <span class="number">{money(equityUsdt, 'USDT')}</span>
      <span class="badges">
        {kind === 'sub' && <span class="badge">{desk.accounts.kinds.sub}</span>}
        <span class="badge">{named(t.accountModes, mode)}</span>
        {frozen && <span class="badge tone-down">{desk.accounts.frozen}</span>}
      </span>
    </a>
  )
}
