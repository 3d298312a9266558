import { type ReactNode, useState } from "react";
import type { CatalogImportApplied, CatalogPlan } from "../../../../src/console/catalog/contract.ts";
import { apiUrl, write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Checkbox, Field, Input, Textarea } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Section } from "../../parts/page.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { PlanView } from "./plan-view.tsx";
import { catalogWords } from "./words.ts";

/** The catalog file: out, compared, in. */
export function FileView(): ReactNode {
  const t = useWords(catalogWords);
  return (
    <>
      <Section title={t.exportTitle}>
        <p className="max-w-prose text-mute">{t.exportNote}</p>
        <div>
          <a
            href={apiUrl("/operator/catalog/file")}
            download="faregate.yaml"
            className="inline-flex h-8 items-center gap-2 rounded-md border border-line px-3 font-medium hover:bg-shade"
          >
            <Icon name="download" />
            {t.download}
          </a>
        </div>
      </Section>
      <Reserved to="all">
        <Section title={t.importTitle}>
          <p className="max-w-prose text-mute">{t.importNote}</p>
          <ImportForm />
        </Section>
      </Reserved>
    </>
  );
}

function ImportForm(): ReactNode {
  const t = useWords(catalogWords);
  const [text, setText] = useState("");
  const [prune, setPrune] = useState(false);
  const [applying, setApplying] = useState(false);
  const plan = useWrite(() => write("POST", "/operator/catalog/plan", { text, prune }));
  const apply = useWrite(
    (body: CatalogImportApplied) => write("POST", "/operator/catalog/apply", body),
    () => {
      toast(t.applied);
      setApplying(false);
      plan.reset();
    },
  );
  const edit = (values: { readonly text?: string; readonly prune?: boolean }): void => {
    if (values.text !== undefined) setText(values.text);
    if (values.prune !== undefined) setPrune(values.prune);
    // What was compared is no longer what stands there.
    plan.reset();
  };
  const found = plan.data;
  return (
    <>
      <Chooser onText={(chosen) => edit({ text: chosen })} />
      <Field label={t.fileText}>
        <Textarea
          rows={14}
          spellCheck={false}
          className="font-mono text-sm"
          value={text}
          onChange={(event) => edit({ text: event.target.value })}
        />
      </Field>
      <Checkbox label={t.prune} checked={prune} onChange={(event) => edit({ prune: event.target.checked })} />
      <div className="flex flex-wrap gap-2">
        <Button busy={plan.isPending} disabled={text.trim() === ""} onClick={() => plan.mutate(undefined)}>
          {t.compare}
        </Button>
        {found?.ok && found.changes.length > 0 && (
          <Button look="primary" onClick={() => setApplying(true)}>
            {t.apply}
          </Button>
        )}
      </div>
      {plan.error && <Failed error={plan.error} />}
      {found && <PlanView plan={found} />}
      {applying && found && (
        <ConfirmDialog
          open
          title={t.applyTitle}
          breaks={[t.applyBreaks(found.changes.length), ...removals(found, t.applyRemoves)]}
          confirm={t.apply}
          busy={apply.isPending}
          error={apply.error}
          onConfirm={() => apply.mutate({ text, prune, version: found.version })}
          onClose={() => setApplying(false)}
        />
      )}
    </>
  );
}

function Chooser({ onText }: { readonly onText: (text: string) => void }): ReactNode {
  const t = useWords(catalogWords);
  return (
    <Field label={t.choose}>
      <Input
        type="file"
        accept=".yaml,.yml,application/yaml,text/yaml"
        className="max-w-xl pt-1 text-sm"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file !== undefined) void file.text().then(onText);
        }}
      />
    </Field>
  );
}

function removals({ changes }: CatalogPlan, sentence: (names: string) => string): string[] {
  const gone = changes.filter(({ action }) => ["delete", "disable", "revoke"].includes(action));
  return gone.length === 0 ? [] : [sentence(gone.map(({ name }) => name).join(", "))];
}
