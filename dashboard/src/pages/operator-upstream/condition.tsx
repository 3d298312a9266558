import type { ReactNode } from "react";
import { formatDuration } from "../../format/duration.ts";
import { Badge } from "../../parts/badge.tsx";
import { useLanguage } from "../../words/language.ts";
import { useWords } from "../../words/use-words.ts";
import { upstreamWords } from "./words.ts";

interface ConditionProps {
  readonly state: "ready" | "returning" | "cooling" | "open";
  readonly waitSeconds: number;
  /** Accounts that are kept away by failures of their own. */
  readonly closedAccounts: number;
}

/** Whether a model is asked under a credential now, and if not, when it will be. */
export function Condition({ state, waitSeconds, closedAccounts }: ConditionProps): ReactNode {
  const t = useWords(upstreamWords);
  return (
    <>
      <State state={state} waitSeconds={waitSeconds} />
      {closedAccounts > 0 && <Badge tone="warn">{t.closedAccounts(closedAccounts)}</Badge>}
    </>
  );
}

function State({ state, waitSeconds }: Omit<ConditionProps, "closedAccounts">): ReactNode {
  const t = useWords(upstreamWords);
  const language = useLanguage();
  const wait = formatDuration(waitSeconds * 1_000, language);
  if (state === "ready") return <Badge tone="good">{t.ready}</Badge>;
  if (state === "returning") return <Badge tone="warn">{t.returning}</Badge>;
  if (state === "cooling") return <Badge tone="warn">{t.cooling(wait)}</Badge>;
  return <Badge tone="bad">{waitSeconds === 0 ? t.probeDue : t.open(wait)}</Badge>;
}
