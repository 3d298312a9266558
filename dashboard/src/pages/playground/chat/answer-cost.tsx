import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Receipt } from "../../../../../src/console/requests/contract.ts";
import { formatCount } from "../../../format/count.ts";
import { Duration, Money } from "../../../parts/amounts.tsx";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { ReceiptStatement } from "../../../parts/receipt.tsx";
import { useWords } from "../../../words/use-words.ts";
import { readPublic } from "../public-api.ts";
import { playgroundWords } from "../words.ts";
import type { About } from "./use-chat.ts";

const LOOK_RETRY_DELAY_MS = 1_000;

interface AnswerCostProps {
  readonly account: string;
  readonly about: About | undefined;
}

/** What a response cost and how long it took, with the receipt that makes it up. */
export function AnswerCost({ account, about }: AnswerCostProps): ReactNode {
  const t = useWords(playgroundWords);
  const [open, setOpen] = useState(false);
  const requestId = about?.requestId ?? "";
  const { data: receipt } = useQuery({
    queryKey: ["public", account, "receipt", requestId],
    queryFn: ({ signal }) => readPublic<Receipt>(account, `/v1/receipts/${requestId}`, { signal }),
    enabled: requestId !== "",
    staleTime: Number.POSITIVE_INFINITY,
    // What was stopped is charged a moment later.
    refetchInterval: ({ state }) =>
      state.data !== undefined && state.data.charge_nanos === undefined ? LOOK_RETRY_DELAY_MS : false,
    // Another process may have served it: its ledger entry is there within a second.
    retry: 3,
  });
  if (about === undefined) return null;
  const tokens = (receipt?.lines ?? []).reduce((sum, line) => sum + ("bucket" in line ? line.tokens : 0), 0);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-mute">
      {receipt?.charge_nanos !== undefined && (
        <>
          <span className="text-ink">
            <Money nanos={receipt.charge_nanos} />
          </span>
          <span>{t.tokens(formatCount(tokens))}</span>
        </>
      )}
      <span>
        {t.firstToken} <Duration ms={about.firstMs} />
      </span>
      <span>
        {t.total} <Duration ms={about.totalMs} />
      </span>
      {receipt !== undefined && (
        <>
          <Button look="quiet" onClick={() => setOpen(true)}>
            {t.receipt}
          </Button>
          <Dialog open={open} title={t.receipt} onClose={() => setOpen(false)}>
            <ReceiptStatement receipt={receipt} />
          </Dialog>
        </>
      )}
    </div>
  );
}
