import type { ReactNode } from "react";
import type { Asset } from "../../../../src/console/assets/contract.ts";
import { useRead } from "../../api/use-read.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { useWords } from "../../words/use-words.ts";
import { assetsWords } from "./words.ts";

/** An upstream takes seconds to check an asset. */
const LOOK_RETRY_DELAY_MS = 4_000;

/** Whether an asset can be used; one that is being checked is looked at until it is decided. */
export function AssetState({
  account,
  asset,
}: {
  readonly account: string;
  readonly asset: Asset;
}): ReactNode {
  const t = useWords(assetsWords);
  const path = `/accounts/${account}/assets/${asset.id}` as const;
  const watching = isOpen(asset.status);
  const { data } = useRead(path, {}, { everyMs: LOOK_RETRY_DELAY_MS, enabled: watching });
  const { status, usable } = data ?? asset;
  const away = status === "Active" && !usable;
  const note = away ? t.away : status === "Failed" ? t.failedWhy : undefined;
  return (
    <div>
      <Badge tone={away ? "warn" : (TONES[status] ?? "plain")}>
        {t.states[status as keyof typeof t.states] ?? status}
      </Badge>
      {note !== undefined && <p className="max-w-64 text-sm text-mute">{note}</p>}
    </div>
  );
}

function isOpen(status: string): boolean {
  return status !== "Active" && status !== "Failed";
}

const TONES: Readonly<Record<string, Tone>> = { Active: "good", Failed: "bad", Processing: "accent" };
