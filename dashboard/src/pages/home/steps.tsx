import type { ReactNode } from "react";
import type { AccountRole } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { Badge } from "../../parts/badge.tsx";
import { ButtonLink } from "../../parts/button.tsx";
import { Section } from "../../parts/page.tsx";
import { useWords } from "../../words/use-words.ts";
import { homeWords } from "./words.ts";

/** What is still missing before the first response; gone when nothing is. */
export function Steps({
  account,
  role,
}: {
  readonly account: string;
  readonly role: AccountRole;
}): ReactNode {
  const t = useWords(homeWords);
  const balance = useRead(`/accounts/${account}/balance`).data;
  const keys = useRead(`/accounts/${account}/keys`, { limit: 1 }).data;
  const requests = useRead(`/accounts/${account}/requests`, { limit: 5 }).data;
  if (balance === undefined || keys === undefined || requests === undefined) return null;
  const steps = [
    {
      title: t.stepMoney,
      hint: t.stepMoneyHint,
      done: BigInt(balance.available_nanos) > 0n,
      act: role === "owner" && <ButtonLink to={`/accounts/${account}/statement`}>{t.topUp}</ButtonLink>,
    },
    {
      title: t.stepKey,
      hint: t.stepKeyHint,
      done: keys.data.length > 0,
      act: role !== "viewer" && (
        <ButtonLink look="primary" icon="plus" to={`/accounts/${account}/keys`}>
          {t.createKey}
        </ButtonLink>
      ),
    },
    { title: t.stepRequest, hint: t.stepRequestHint, done: requests.data.length > 0, act: undefined },
  ];
  if (steps.every(({ done }) => done)) return null;
  return (
    <Section title={t.setUp}>
      <ol className="flex flex-col gap-3">
        {steps.map(({ title, hint, done, act }) => (
          <li key={title} className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <div className="w-14 shrink-0">
              <Badge tone={done ? "good" : "plain"}>{done ? t.done : t.open}</Badge>
            </div>
            <div className="min-w-0 flex-1 basis-48">
              <p className="font-medium">{title}</p>
              {!done && <p className="text-mute">{hint}</p>}
            </div>
            {!done && act}
          </li>
        ))}
      </ol>
    </Section>
  );
}
