import type { ReactNode } from "react";
import { useSession } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { Section } from "../../parts/page.tsx";
import { useWords } from "../../words/use-words.ts";
import { Attempts } from "../operator-request/attempts.tsx";
import { requestWords } from "./words.ts";

/** What the attempts of a failed or retried request met; only operators are told. */
export function OperatorAttempts({ request }: { readonly request: string }): ReactNode {
  const t = useWords(requestWords);
  const { user } = useSession();
  const query = useRead(
    `/operator/requests/${encodeURIComponent(request)}`,
    {},
    { enabled: user.is_operator },
  );
  const attempts = query.isPlaceholderData ? [] : (query.data?.attempts ?? []);
  if (!user.is_operator || attempts.length === 0) return null;
  return (
    <Section title={t.upstreamAttempts}>
      <Attempts attempts={attempts} />
    </Section>
  );
}
