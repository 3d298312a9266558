import type { ReactNode } from "react";
import type { Upstream } from "../../../../src/console/upstreams/contract.ts";
import { formatDuration } from "../../format/duration.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { useLanguage } from "../../words/language.ts";
import { useWords } from "../../words/use-words.ts";
import { upstreamsWords } from "./words.ts";

const TONES: Readonly<Record<Upstream["health"]["state"], Tone>> = {
  healthy: "good",
  degraded: "warn",
  failing: "bad",
  idle: "plain",
  disabled: "plain",
  unusable: "bad",
};

export function Health({ health }: { readonly health: Upstream["health"] }): ReactNode {
  const t = useWords(upstreamsWords);
  return (
    <>
      <Badge tone={TONES[health.state]}>{t.states[health.state]}</Badge>{" "}
      <Limited seconds={health.limited_seconds} />
    </>
  );
}

/** Says that an upstream gets no requests as it is at its own limit. */
export function Limited({ seconds }: { readonly seconds: number }): ReactNode {
  const t = useWords(upstreamsWords);
  const language = useLanguage();
  if (seconds === 0) return null;
  return <Badge tone="warn">{t.limited(formatDuration(seconds * 1_000, language))}</Badge>;
}
