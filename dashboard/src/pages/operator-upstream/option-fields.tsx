import type { ReactNode } from "react";
import { faultOf } from "../../api/api-error.ts";
import { Checkbox, Field, Input, Textarea } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import type { UpstreamDraft } from "./draft.ts";
import { upstreamWords } from "./words.ts";

interface OptionFieldsProps {
  readonly draft: UpstreamDraft;
  readonly change: (values: Partial<UpstreamDraft>) => void;
  readonly error: unknown;
}

/** What is tuned of how requests reach the vendor. */
export function OptionFields({ draft, change, error }: OptionFieldsProps): ReactNode {
  const t = useWords(upstreamWords);
  return (
    <details>
      <summary className="cursor-pointer font-medium">{t.options}</summary>
      <div className="grid gap-4 pt-2">
        <Field label={t.headers} hint={t.headersHint} error={faultOf(error, "headers")}>
          <Textarea
            rows={2}
            value={draft.headers}
            onChange={(event) => change({ headers: event.target.value })}
          />
        </Field>
        <Field label={t.proxy} hint={t.proxyHint} error={faultOf(error, "proxy")}>
          <Input value={draft.proxy} onChange={(event) => change({ proxy: event.target.value })} />
        </Field>
        <Field label={t.caFile} hint={t.caFileHint} error={faultOf(error, "ca_file")}>
          <Input value={draft.caFile} onChange={(event) => change({ caFile: event.target.value })} />
        </Field>
        <Field label={t.body} hint={t.bodyHint} error={faultOf(error, "body")}>
          <Textarea rows={3} value={draft.body} onChange={(event) => change({ body: event.target.value })} />
        </Field>
        <Field label={t.droppedBetas} hint={t.droppedBetasHint} error={faultOf(error, "betas")}>
          <Textarea
            rows={2}
            value={draft.droppedBetas}
            onChange={(event) => change({ droppedBetas: event.target.value })}
          />
        </Field>
        <Checkbox
          label={t.namesAccount}
          hint={t.namesAccountHint}
          checked={draft.namesAccount}
          onChange={(event) => change({ namesAccount: event.target.checked })}
        />
      </div>
    </details>
  );
}
