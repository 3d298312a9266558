import { type FormEvent, type ReactNode, useState } from "react";
import type { ReconciliationQuery } from "../../../../src/console/reconcile/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { upload } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Field, Input, Textarea } from "../../parts/field.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/use-words.ts";
import { Report } from "./report.tsx";
import { reconcileWords } from "./words.ts";

/** What `faregate reconcile` compares, from here. */
export function OperatorReconcilePage(): ReactNode {
  const t = useWords(reconcileWords);
  const [file, setFile] = useState<Blob>();
  const [text, setText] = useState("");
  const [options, setOptions] = useState<ReconciliationQuery>({});
  const compare = useWrite(() => upload("/operator/reconciliations", options, file ?? new Blob([text])));
  const { error, isPending, data, reset } = compare;
  const option = (name: keyof ReconciliationQuery, label: string, hint: string): ReactNode => (
    <Field label={label} hint={hint} error={faultOf(error, name)}>
      <Input
        value={options[name] ?? ""}
        onChange={(event) => {
          // What was compared is no longer what stands there.
          reset();
          setOptions({ ...options, [name]: event.target.value });
        }}
      />
    </Field>
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    compare.mutate(undefined);
  };
  return (
    <Page title={t.title} lead={t.lead}>
      <Section title={t.export}>
        <p className="max-w-prose text-mute">{t.exportNote}</p>
        <form className="flex flex-col gap-4" onSubmit={submit}>
          <Field label={t.choose}>
            <Input
              type="file"
              accept=".json,.csv,application/json,text/csv"
              className="max-w-xl pt-1 text-sm"
              onChange={(event) => {
                reset();
                setFile(event.target.files?.[0]);
              }}
            />
          </Field>
          {file === undefined && (
            <Field label={t.paste}>
              <Textarea
                rows={8}
                spellCheck={false}
                className="font-mono text-sm"
                value={text}
                onChange={(event) => {
                  reset();
                  setText(event.target.value);
                }}
              />
            </Field>
          )}
          <div className="grid gap-4 md:grid-cols-2">
            {option("upstreams", t.upstreams, t.upstreamsHint)}
            {option("project", t.project, t.projectHint)}
            {option("zone", t.zone, t.zoneHint)}
            {option("tolerance", t.tolerance, t.toleranceHint)}
          </div>
          <div>
            <Button
              look="primary"
              type="submit"
              busy={isPending}
              disabled={file === undefined && text.trim() === ""}
            >
              {isPending ? t.comparing : t.compare}
            </Button>
          </div>
        </form>
        {error !== null && (
          <div className="whitespace-pre-line">
            <Failed error={error} />
          </div>
        )}
      </Section>
      {isPending && <Skeleton lines={6} />}
      {data !== undefined && <Report report={data} />}
    </Page>
  );
}
