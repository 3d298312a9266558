import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Batch, Code } from "../../../../src/console/codes/contract.ts";
import { write } from "../../api/client.ts";
import { useSearch } from "../../api/search.ts";
import { useList } from "../../api/use-list.ts";
import { useWrite } from "../../api/use-write.ts";
import { formatCount } from "../../format/count.ts";
import { formatMoney } from "../../format/money.ts";
import { Time } from "../../parts/amounts.tsx";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog, Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { Table } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { operatorCodesWords } from "./words.ts";

/** The codes of the batch that the URL names: who redeemed which, and a way to withdraw the others. */
export function BatchDialog({ batch }: { readonly batch: Batch | undefined }): ReactNode {
  const t = useWords(operatorCodesWords);
  const [, change] = useSearch();
  const close = () => change({ batch: undefined, codes_after: undefined });
  return (
    <Dialog open={batch !== undefined} title={t.codes(batch?.id ?? "")} onClose={close} wide>
      {batch !== undefined && <Codes batch={batch} />}
    </Dialog>
  );
}

function Codes({ batch }: { readonly batch: Batch }): ReactNode {
  const t = useWords(operatorCodesWords);
  const [revoking, setRevoking] = useState<Code | "all" | null>(null);
  const path = `/operator/code-batches/${batch.id}/codes` as const;
  const list = useList(path, {}, { cursor: "codes_after" });
  const unused = batch.codes - batch.redeemed - batch.revoked;
  return (
    <>
      {batch.note !== "" && <p className="text-mute">{batch.note}</p>}
      <Table
        caption={t.codes(batch.id)}
        list={list}
        rowKey={({ id }) => id}
        columns={[
          {
            title: t.code,
            cell: ({ hint }) => <code className="font-mono text-sm whitespace-nowrap">{hint}</code>,
          },
          { title: t.state, cell: (code) => <State code={code} /> },
          { title: t.by, cell: (code) => <By code={code} /> },
          {
            title: <span className="sr-only">{t.actions}</span>,
            align: "end",
            cell: (code) =>
              code.state === "unused" && (
                <Reserved to="billing">
                  <Button look="quiet" onClick={() => setRevoking(code)}>
                    {t.revoke}
                  </Button>
                </Reserved>
              ),
          },
        ]}
        empty={null}
      />
      {unused > 0 && (
        <Reserved to="billing">
          <DialogButtons>
            <Button look="danger" onClick={() => setRevoking("all")}>
              {t.revokeAll}
            </Button>
          </DialogButtons>
        </Reserved>
      )}
      <Revoke batch={batch} unused={unused} what={revoking} onClose={() => setRevoking(null)} />
    </>
  );
}

const TONES: Readonly<Record<Code["state"], Tone>> = {
  unused: "accent",
  redeemed: "good",
  revoked: "plain",
  expired: "plain",
};

function State({ code }: { readonly code: Code }): ReactNode {
  const t = useWords(operatorCodesWords);
  return <Badge tone={TONES[code.state]}>{t[code.state]}</Badge>;
}

function By({ code }: { readonly code: Code }): ReactNode {
  if (code.account === null) return "–";
  return (
    <>
      <Link className="link break-all" to={`/operator/accounts/${code.account.id}`}>
        {code.account.name}
      </Link>
      <span className="block text-sm break-all text-mute">
        {code.redeemed_by} · <Time at={code.redeemed_at} />
      </span>
    </>
  );
}

interface RevokeProps {
  readonly batch: Batch;
  readonly unused: number;
  readonly what: Code | "all" | null;
  readonly onClose: () => void;
}

function Revoke({ batch, unused, what, onClose }: RevokeProps): ReactNode {
  const t = useWords(operatorCodesWords);
  const path = `/operator/code-batches/${batch.id}` as const;
  const revoke = useWrite(
    (code: Code | "all") =>
      write("POST", code === "all" ? `${path}/revoke` : `${path}/codes/${code.id}/revoke`, {}),
    ({ revoked }) => {
      toast(t.revokeDone(formatCount(revoked)));
      onClose();
    },
  );
  const amount = formatMoney(batch.amount_nanos);
  const breaks =
    what === "all" || what === null
      ? t.revokeBreaks(formatCount(unused), amount)
      : t.revokeOne(what.hint, amount);
  return (
    <ConfirmDialog
      open={what !== null}
      title={t.revokeTitle}
      breaks={[breaks, t.revokeStays]}
      confirm={t.revoke}
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => what !== null && revoke.mutate(what)}
      onClose={() => {
        revoke.reset();
        onClose();
      }}
    />
  );
}
