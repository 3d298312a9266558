import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { useWords } from "../../words/use-words.ts";
import { peopleWords } from "./words.ts";

interface Named {
  readonly name: string;
  readonly email: string;
  readonly disabled: boolean;
  readonly has_totp: boolean;
}

/** Somebody in a list: name, address, and what is particular about how they get in. */
export function PersonName({
  person,
  badges,
}: {
  readonly person: Named;
  readonly badges?: ReactNode;
}): ReactNode {
  const t = useWords(peopleWords);
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-medium break-words">{person.name}</span>
        {badges}
        {person.has_totp && <Badge tone="good">{t.codes}</Badge>}
        {person.disabled && <Badge tone="bad">{t.lockedOut}</Badge>}
      </span>
      <span className="text-sm break-all text-mute">{person.email}</span>
    </div>
  );
}
