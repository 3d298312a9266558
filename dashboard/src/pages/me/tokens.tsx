import { type FormEvent, type ReactNode, useState } from "react";
import type { TokenBody, TokenRow } from "../../../../src/console/tokens/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { endOfDay } from "../../api/days.ts";
import { useSession } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Time } from "../../parts/amounts.tsx";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog, Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Field, Input, Select, Textarea } from "../../parts/field.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { SecretDialog } from "../../parts/secret.tsx";
import { Rows } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { meWords } from "./words.ts";

type Scope = TokenRow["scopes"][number];

const SCOPES: readonly Scope[] = ["all", "keys", "billing", "read"];

/** What one's scripts show in place of signing in. */
export function Tokens(): ReactNode {
  const t = useWords(meWords);
  const list = useRead("/me/tokens");
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<TokenRow>();
  const create = (
    <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
      {t.create}
    </Button>
  );
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <p className="max-w-prose text-mute">{t.tokensLead}</p>
        {create}
      </div>
      <Loaded query={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.noTokens}>{t.noTokensHow}</Empty>
          ) : (
            <Rows
              caption={t.tokens}
              rows={data}
              rowKey={(row) => row.id}
              columns={[
                { title: t.tokenName, cell: (row) => <Name row={row} /> },
                {
                  title: t.rights,
                  cell: (row) =>
                    [...row.scopes.map((scope) => t.scopes[scope]), ...(row.allowed_addresses ?? [])].join(
                      ", ",
                    ),
                },
                { title: t.account, wideOnly: true, cell: (row) => row.account?.name ?? t.anyAccount },
                {
                  title: t.lastUsed,
                  wideOnly: true,
                  cell: (row) => (row.last_used_at === null ? t.never : <Time at={row.last_used_at} />),
                },
                { title: t.expires, wideOnly: true, cell: (row) => <Expiry row={row} /> },
                {
                  title: <span className="sr-only">{t.revoke}</span>,
                  align: "end",
                  cell: (row) => <Button onClick={() => setRevoking(row)}>{t.revoke}</Button>,
                },
              ]}
            />
          )
        }
      </Loaded>
      {making && <CreateToken onClose={() => setMaking(false)} />}
      {revoking && <RevokeToken row={revoking} onClose={() => setRevoking(undefined)} />}
    </div>
  );
}

function Name({ row }: { readonly row: TokenRow }): ReactNode {
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <span className="font-medium break-all">{row.name}</span>
      <code className="font-mono text-sm text-mute">{row.hint}</code>
    </div>
  );
}

function Expiry({ row }: { readonly row: TokenRow }): ReactNode {
  const t = useWords(meWords);
  if (row.expires_at === null) return t.never;
  if (new Date(row.expires_at) <= new Date()) return t.expired;
  return <Time at={row.expires_at} />;
}

function CreateToken({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useWords(meWords);
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>("all");
  const [account, setAccount] = useState("");
  const { accounts } = useSession();
  const [day, setDay] = useState("");
  const [addresses, setAddresses] = useState("");
  const create = useWrite((body: TokenBody) => write("POST", "/me/tokens", body));
  if (create.data !== undefined) {
    return (
      <SecretDialog
        title={t.createdTitle(create.data.name)}
        text={create.data.token}
        fileName="faregate-token.txt"
        onClose={onClose}
      />
    );
  }
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const expiry = day === "" ? null : endOfDay(day);
    const ranges = addresses.split(/[\s,]+/).filter((range) => range !== "");
    create.mutate({
      name,
      scopes: [scope],
      account: account || null,
      allowed_addresses: ranges.length === 0 ? null : ranges,
      expires_at: expiry,
    });
  };
  const wrong = {
    name: faultOf(create.error, "name"),
    addresses: faultOf(create.error, "allowed_addresses"),
    day: faultOf(create.error, "expires_at"),
  };
  return (
    <Dialog open title={t.createTitle} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={send}>
        <Field label={t.tokenName} hint={t.tokenNameHint} error={wrong.name}>
          <Input required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label={t.rights} hint={t.scopeHints[scope]}>
          <Select value={scope} onChange={(event) => setScope(event.target.value as Scope)}>
            {SCOPES.map((each) => (
              <option key={each} value={each}>
                {t.scopes[each]}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t.account} hint={t.accountHint}>
          <Select value={account} onChange={(event) => setAccount(event.target.value)}>
            <option value="">{t.anyAccount}</option>
            {accounts.map(({ id, name: title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t.addresses} hint={t.addressesHint} error={wrong.addresses}>
          <Textarea
            rows={2}
            value={addresses}
            spellCheck={false}
            className="font-mono text-sm"
            onChange={(event) => setAddresses(event.target.value)}
          />
        </Field>
        <Field label={t.expiry} hint={t.expiryHint} error={wrong.day}>
          <Input type="date" value={day} onChange={(event) => setDay(event.target.value)} />
        </Field>
        {create.error && !wrong.name && !wrong.addresses && !wrong.day && <Failed error={create.error} />}
        <DialogButtons>
          <Button type="submit" look="primary" busy={create.isPending}>
            {t.create}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

function RevokeToken({ row, onClose }: { readonly row: TokenRow; readonly onClose: () => void }): ReactNode {
  const t = useWords(meWords);
  const revoke = useWrite(
    () => write("DELETE", `/me/tokens/${row.id}`),
    () => {
      toast(t.revoked(row.name));
      onClose();
    },
  );
  const used =
    row.last_used_at === null ? (
      t.revokeUnused
    ) : (
      <>
        {t.revokeUsed} <Time at={row.last_used_at} />
      </>
    );
  return (
    <ConfirmDialog
      open
      title={t.revokeTitle(row.name)}
      breaks={[t.revokeBreaks, used]}
      confirm={t.revoke}
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(undefined)}
      onClose={onClose}
    />
  );
}
