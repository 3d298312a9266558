import { type FormEvent, type ReactNode, useState } from "react";
import type { NewAsset } from "../../../../src/console/assets/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Field, Input, Select } from "../../parts/field.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { assetsWords } from "./words.ts";

const TYPES = ["Image", "Video", "Audio"] as const;

/** Registers public media by its address. */
export function RegisterDialog(props: {
  readonly account: string;
  readonly open: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const t = useWords(assetsWords);
  return (
    <Dialog open={props.open} title={t.registerTitle} onClose={props.onClose}>
      <RegisterForm {...props} />
    </Dialog>
  );
}

function RegisterForm({
  account,
  onClose,
}: {
  readonly account: string;
  readonly onClose: () => void;
}): ReactNode {
  const t = useWords(assetsWords);
  const [url, setUrl] = useState("");
  const [type, setType] = useState<(typeof TYPES)[number]>("Image");
  const [name, setName] = useState("");
  const register = useWrite(
    (asset: NewAsset) => write("POST", `/accounts/${account}/assets`, asset),
    () => {
      toast(t.registered);
      onClose();
    },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    register.mutate({ url, asset_type: type, ...(name === "" ? {} : { name }) });
  };
  const fault = (param: string) => faultOf(register.error, param);
  const elsewhere = register.isError && !fault("url") && !fault("name");
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field label={t.address} hint={t.addressHint} error={fault("url")}>
        <Input
          type="url"
          required
          placeholder="https://"
          value={url}
          onChange={(e) => setUrl(e.target.value)}
        />
      </Field>
      <Field label={t.type}>
        <Select value={type} onChange={(e) => setType(e.target.value as typeof type)}>
          {TYPES.map((each) => (
            <option key={each} value={each}>
              {t.types[each]}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t.name} hint={t.nameHint} error={fault("name")}>
        <Input maxLength={64} value={name} onChange={(e) => setName(e.target.value)} />
      </Field>
      {elsewhere && <Failed error={register.error} />}
      <DialogButtons>
        <Button onClick={onClose}>{t.cancel}</Button>
        <Button type="submit" look="primary" busy={register.isPending}>
          {t.register}
        </Button>
      </DialogButtons>
    </form>
  );
}
