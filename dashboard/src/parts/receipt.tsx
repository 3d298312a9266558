import type { ReactNode } from "react";
import type { Receipt } from "../../../src/console/requests/contract.ts";
import { readNanos } from "../format/amount.ts";
import { formatCount } from "../format/count.ts";
import { formatMoney, formatUsd } from "../format/money.ts";
import { useWords } from "../words/use-words.ts";
import { receiptWords } from "./receipt-words.ts";
import { useUsageName } from "./usage-name.ts";

type Line = NonNullable<Receipt["lines"]>[number];

/** The cost of a request in the form of a bank statement: units, price, amount; sum, factor, charge. */
export function ReceiptStatement({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const t = useWords(receiptWords);
  const { lines } = receipt;
  if (lines === undefined)
    return <p className="text-mute">{t.running(formatUsd(receipt.hold_usd ?? "0"))}</p>;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section tabIndex={0} aria-label={t.receipt} className="min-w-0 overflow-x-auto">
        <table className="w-full max-w-3xl border-collapse text-left">
          <caption className="sr-only">{t.receipt}</caption>
          <thead>
            <tr className="border-b border-line text-sm text-mute">
              <Head>{t.item}</Head>
              <Head end>{t.units}</Head>
              <Head end>{t.price}</Head>
              <Head end>{t.amount}</Head>
            </tr>
          </thead>
          <tbody>
            {lines.map((line, index) => (
              <LineRow key={index} line={line} />
            ))}
            {lines.length === 0 && <Row cells={[t.noLines, "", "", ""]} />}
          </tbody>
          <tfoot className="border-t border-line">
            <Total label={t.sum} value={formatUsd(receipt.sum_usd ?? "0")} />
            <Total label={t.factor} value={`× ${receipt.factor ?? "1"}`} />
            <Total label={t.exact} value={formatUsd(receipt.exact_usd ?? "0")} note={t.rounded} />
            <Total label={t.charged} value={formatUsd(receipt.charge_usd ?? "0")} strong />
          </tfoot>
        </table>
      </section>
      <Notes receipt={receipt} />
    </div>
  );
}

function Notes({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const t = useWords(receiptWords);
  const nameOf = useUsageName();
  const ignored = receipt.ignored_values ?? [];
  return (
    <ul className="flex flex-col gap-1 text-sm text-mute">
      {receipt.charged === false && <li>{t.notCharged}</li>}
      {receipt.row !== undefined && <li>{t.row(receipt.row)}</li>}
      {receipt.step_estimated && <li>{t.stepEstimated}</li>}
      {receipt.served?.map(({ dimension, name, from, factor }) => (
        <li key={dimension}>{t.served(t.dimensions[dimension], name, t.from[from], factor)}</li>
      ))}
      {receipt.unpriced !== undefined && <li>{t.unpriced(receipt.unpriced.map(nameOf).join(", "))}</li>}
      {receipt.estimated && <li>{t.estimated}</li>}
      {ignored.length > 0 && <li>{t.ignored(ignored.join(", "))}</li>}
      {receipt.hold_usd !== undefined && (
        <li>
          {t.hold(formatUsd(receipt.hold_usd), releasedOf(receipt.hold_usd, receipt.charge_usd ?? "0"))}
        </li>
      )}
    </ul>
  );
}

/** The exact rest of a hold; undefined if the charge took all of it. */
function releasedOf(hold: string, charge: string): string | undefined {
  const left = BigInt(readNanos(hold) ?? 0) - BigInt(readNanos(charge) ?? 0);
  return left > 0n ? formatMoney(String(left)) : undefined;
}

function LineRow({ line }: { readonly line: Line }): ReactNode {
  const t = useWords(receiptWords);
  if ("bucket" in line) {
    const name = Object.hasOwn(t.buckets, line.bucket)
      ? t.buckets[line.bucket as keyof typeof t.buckets]
      : line.bucket;
    const ofModel = line.model === undefined ? name : t.ofModel(name, line.model);
    const price = t.perMillion(formatUsd(line.usd_per_million_tokens));
    return (
      <Row
        cells={[
          line.row === undefined ? ofModel : t.ofRow(ofModel, line.row),
          formatCount(line.tokens),
          line.factor === undefined ? price : `${price} × ${line.factor}`,
          formatUsd(line.usd),
        ]}
      />
    );
  }
  const name =
    "kind" in line
      ? t.counted[line.kind](line.name)
      : line.unit === "image"
        ? t.images(line.of)
        : t.seconds(line.of);
  return (
    <Row cells={[name, formatCount(line.count), t.each(formatUsd(line.usd_each)), formatUsd(line.usd)]} />
  );
}

function Row({ cells }: { readonly cells: readonly [string, string, string, string] }): ReactNode {
  const [name, ...numbers] = cells;
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className="py-1.5 pr-3 text-left font-normal">
        {name}
      </th>
      {numbers.map((number, index) => (
        <td
          key={index}
          className={`py-1.5 pl-3 text-right ${index === 1 ? "sm:whitespace-nowrap" : "whitespace-nowrap"}`}
        >
          {number}
        </td>
      ))}
    </tr>
  );
}

function Head({
  children,
  end = false,
}: {
  readonly children: ReactNode;
  readonly end?: boolean;
}): ReactNode {
  return (
    <th scope="col" className={`py-1.5 font-medium ${end ? "pl-3 text-right" : "pr-3"}`}>
      {children}
    </th>
  );
}

function Total({
  label,
  value,
  note,
  strong = false,
}: {
  readonly label: string;
  readonly value: string;
  readonly note?: string;
  readonly strong?: boolean;
}): ReactNode {
  return (
    <tr className={strong ? "border-t border-line font-semibold" : ""}>
      <th
        scope="row"
        colSpan={3}
        className={`py-1 pr-3 text-left ${strong ? "font-semibold" : "font-normal"}`}
      >
        {label}
        {note && <span className="pl-2 text-sm font-normal text-mute max-sm:hidden">{note}</span>}
      </th>
      <td className="py-1 pl-3 text-right whitespace-nowrap">{value}</td>
    </tr>
  );
}
