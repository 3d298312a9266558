import type { ReactNode } from "react";

/** A row of numbers: `<Stats><Stat label={t.balance}><Money … /></Stat>…</Stats>`. */
export function Stats({ children }: { readonly children: ReactNode }): ReactNode {
  return <dl className="flex flex-wrap gap-x-8 gap-y-4 sm:gap-x-12">{children}</dl>;
}

/** One number, what it is, and a word about it. A link within leads to what makes it up. */
export function Stat({
  label,
  children,
  note,
}: {
  readonly label: string;
  readonly children: ReactNode;
  readonly note?: ReactNode;
}): ReactNode {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-mute">{label}</dt>
      <dd className="text-xl font-semibold break-words">{children}</dd>
      {note && <dd className="text-sm text-mute">{note}</dd>}
    </div>
  );
}

/** Names and values of one thing: `<Facts rows={[[t.model, record.model], …]} />`. */
export function Facts({
  rows,
}: {
  readonly rows: readonly (readonly [name: string, value: ReactNode])[];
}): ReactNode {
  return (
    <dl className="grid grid-cols-[minmax(6rem,max-content)_minmax(0,1fr)] gap-x-6 gap-y-1.5">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-mute">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
