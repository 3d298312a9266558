import type { ReactNode } from "react";

export type Tone = "plain" | "good" | "warn" | "bad" | "accent";

/** A state in a word, with a colour that says it once more: `<Badge tone="good">active</Badge>`. */
export function Badge({
  tone = "plain",
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <span
      className={`inline-flex items-center rounded-sm px-1.5 text-xs/5 font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}

const TONES: Readonly<Record<Tone, string>> = {
  plain: "bg-shade text-mute",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  accent: "bg-accent-soft text-accent",
};
