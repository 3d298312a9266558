import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { write } from "../api/client.ts";
import { queryClient } from "../api/query-client.ts";
import { useAccountName, useSession } from "../api/session.ts";
import { Failed } from "../parts/failure.tsx";
import { Field, Select } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { useWords } from "../words/use-words.ts";
import { AppearanceSwitches } from "./appearance.tsx";
import { showPalette } from "./palette/palette-state.ts";
import { paletteWords } from "./palette/palette-words.ts";
import { type Place, useAccountId, usePlaces } from "./use-places.ts";
import { shellWords } from "./words.ts";

/** The menu: the account's pages, the operator's, oneself. */
export function Sidebar(): ReactNode {
  const t = useWords(shellWords);
  const { account, operator } = usePlaces();
  const { user, version } = useSession();
  return (
    <nav aria-label={t.navigation} className="flex min-h-full flex-col gap-4 p-4">
      <Link to="/" className="flex items-center gap-2 text-lg font-semibold">
        <Mark />
        Faregate
      </Link>
      <PaletteButton />
      <AccountSwitch />
      {account.length > 0 && <Places places={account} />}
      {operator.length > 0 && <Places title={t.operator} places={operator} />}
      <div className="mt-auto flex flex-col gap-2 border-t border-line pt-4">
        <ul>
          <li>
            <Link to="/me" className={ITEM}>
              <span className="min-w-0 truncate" title={user.email}>
                {user.name || user.email}
              </span>
            </Link>
          </li>
          <li>
            <a href="/docs" className={ITEM}>
              {t.docs}
            </a>
          </li>
          <li>
            <SignOut />
          </li>
        </ul>
        <AppearanceSwitches />
        <p className="text-xs text-mute">Faregate {version}</p>
      </div>
    </nav>
  );
}

/** Says that there is a command palette; on a phone the only way to it. */
function PaletteButton(): ReactNode {
  const t = useWords(paletteWords);
  return (
    <button
      type="button"
      aria-keyshortcuts="Control+K Meta+K"
      // A drawer around it closes first: the palette stands above the page.
      onClick={(event) => {
        event.currentTarget.closest("dialog")?.close();
        showPalette(true);
      }}
      className="flex h-8 items-center gap-2 rounded-md border border-line px-2 text-mute hover:bg-shade"
    >
      <Icon name="search" />
      <span className="grow text-left">{t.open}</span>
      <kbd className="font-mono text-xs">Ctrl K</kbd>
    </button>
  );
}

function Places({
  title,
  places,
}: {
  readonly title?: string;
  readonly places: readonly Place[];
}): ReactNode {
  return (
    <div>
      {title && <h2 className="px-2 pb-1 text-sm text-mute">{title}</h2>}
      <ul>
        {places.map(({ href, title: name, letter }) => (
          <li key={href}>
            <Link
              to={href}
              activeOptions={{ exact: /^\/accounts\/\d+$/.test(href), includeSearch: false }}
              aria-keyshortcuts={`g ${letter}`}
              className={ITEM}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function AccountSwitch(): ReactNode {
  const t = useWords(shellWords);
  const { accounts, user } = useSession();
  const id = useAccountId();
  const name = useAccountName(id ?? "");
  const navigate = useNavigate();
  if (id === undefined) return null;
  const isForeign = !accounts.some((account) => account.id === id);
  if (accounts.length < 2 && !isForeign)
    return <p className="truncate px-2 text-sm text-mute">{accounts[0]?.name ?? user.email}</p>;
  return (
    <Field label={t.switchAccount} quiet>
      <Select value={id} onChange={(event) => void navigate({ to: `/accounts/${event.target.value}` })}>
        {isForeign && <option value={id}>{name}</option>}
        {accounts.map((account) => (
          <option key={account.id} value={account.id}>
            {account.name}
          </option>
        ))}
      </Select>
    </Field>
  );
}

function SignOut(): ReactNode {
  const t = useWords(shellWords);
  const navigate = useNavigate();
  const leave = useMutation({
    mutationFn: () => write("DELETE", "/session"),
    onSuccess: async () => {
      queryClient.clear();
      await navigate({ to: "/sign-in" });
    },
  });
  return (
    <>
      <button type="button" className={`${ITEM} w-full text-left`} onClick={() => leave.mutate()}>
        {t.signOut}
      </button>
      {leave.isError && <Failed error={leave.error} />}
    </>
  );
}

/** A turnstile, in the colour of the accent. */
export function Mark(): ReactNode {
  return (
    <svg viewBox="0 0 16 16" className="size-5 text-accent" aria-hidden="true">
      <path
        d="M3 2.5v11M13 2.5v11M3 8h5.5"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        fill="none"
      />
      <circle cx="9.7" cy="8" r="1.5" fill="currentColor" />
    </svg>
  );
}

const ITEM =
  "flex items-center rounded-md px-2 py-1 hover:bg-shade aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent";
