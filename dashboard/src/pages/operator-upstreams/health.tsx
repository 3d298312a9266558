import type { ReactNode } from "react";
import type { Upstream } from "../../../../src/console/upstreams/contract.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
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

export function Health({ state }: { readonly state: Upstream["health"]["state"] }): ReactNode {
  const t = useWords(upstreamsWords);
  return <Badge tone={TONES[state]}>{t.states[state]}</Badge>;
}
