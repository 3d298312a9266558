import type { ReactNode } from "react";
import { Copy } from "./copy.tsx";

/** A snippet with its copy button: `<Code text={snippet} label="curl" />`. */
export function Code({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  return (
    <div className="flex min-w-0 items-start rounded-md border border-line bg-shade">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section tabIndex={0} aria-label={label} className="min-w-0 flex-1 overflow-x-auto rounded-md">
        <pre className="min-w-max px-4 py-3 font-mono text-sm">{text}</pre>
      </section>
      <div className="p-1">
        <Copy text={text} />
      </div>
    </div>
  );
}
