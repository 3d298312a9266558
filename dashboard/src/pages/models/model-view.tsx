import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import type { AccountModel } from "../../../../src/console/models/contract.ts";
import { formatUsd } from "../../format/money.ts";
import { Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { ButtonLink } from "../../parts/button.tsx";
import { Copyable } from "../../parts/copy.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { receiptWords } from "../../parts/receipt-words.ts";
import { Facts } from "../../parts/stat.tsx";
import { SnippetPicker } from "../../snippets/snippet-picker.tsx";
import { useEndpointName } from "../../words/endpoint-words.ts";
import { useWords } from "../../words/use-words.ts";
import { modelsWords } from "./words.ts";

interface ModelViewProps {
  /** Undefined: the account has none of that id. */
  readonly model: AccountModel | undefined;
  readonly id: string;
  readonly account: string;
}

/** One model: how to call it, what it costs to the last digit. */
export function ModelView({ model, id, account }: ModelViewProps): ReactNode {
  const t = useWords(modelsWords);
  const endpointName = useEndpointName();
  const back = (
    <Link to="." search={{}} className="link">
      {t.all}
    </Link>
  );
  if (model === undefined) {
    return (
      <Page title={id}>
        <Empty title={t.unknown} action={back}>
          {t.unknownWhy}
        </Empty>
      </Page>
    );
  }
  const actions = (
    <>
      <ButtonLink to={`/accounts/${account}/playground`} search={{ model: id }}>
        {t.tryIt}
      </ButtonLink>
      {back}
    </>
  );
  return (
    <Page title={id} lead={<Copyable text={id} />} actions={actions}>
      <Facts
        rows={[
          ...(model.alias_of === null ? [] : [[t.aliasOf, model.alias_of] as const]),
          [t.modality, t[model.modality]],
          [
            t.endpoint,
            <span key="endpoints" className="flex flex-wrap gap-1">
              {model.endpoints.map((endpoint) => (
                <Badge key={endpoint}>{endpointName(endpoint)}</Badge>
              ))}
            </span>,
          ],
          ...(model.context_tokens === null
            ? []
            : [[t.context, t.tokens(model.context_tokens.toLocaleString("en"))] as const]),
          ...(model.max_output_tokens === null
            ? []
            : [[t.maxOutput, t.tokens(model.max_output_tokens.toLocaleString("en"))] as const]),
          [t.ownedBy, model.owned_by],
          [t.since, <Time key="since" at={new Date(model.created * 1_000).toISOString()} />],
        ]}
      />
      <Section title={t.prices}>
        <Prices price={model.price} />
      </Section>
      <Section title={t.call}>
        <SnippetPicker model={id} family={model.family} endpoints={model.endpoints} />
      </Section>
    </Page>
  );
}

function TokenPrices({
  row,
}: {
  readonly row: AccountModel["price"]["steps" | "tiers"][number] | AccountModel["price"];
}): ReactNode {
  const t = useWords(modelsWords);
  const { buckets } = useWords(receiptWords);
  const tokens: readonly (readonly [name: string, usd: string | null, otherwise: string])[] = [
    [t.input, row.input, ""],
    [t.output, row.output, ""],
    [t.reasoning, row.reasoning, t.asOutput],
    [t.cached, row.cache_read, t.asInput],
    [t.cacheWrite, row.cache_write, t.asInput],
    [t.cacheWrite1h, row.cache_write_1h ?? row.cache_write, t.asInput],
  ];
  const others = row.other_tokens.map(({ of, usd }) => {
    const bucket = Object.entries(buckets).find(([key]) => key === of.replace(".", "_"));
    return [bucket?.[1] ?? of, formatUsd(usd)] as const;
  });
  return (
    <Facts
      rows={tokens
        .filter(([, usd, otherwise]) => usd !== null || (otherwise !== "" && row.output !== null))
        .map(([name, usd, otherwise]) => [name, usd === null ? otherwise : formatUsd(usd)] as const)
        .concat(others)}
    />
  );
}

function Prices({ price }: Pick<AccountModel, "price">): ReactNode {
  const t = useWords(modelsWords);
  const names = t.weekdays.split(" ");
  const weekdays = (days: readonly number[] = []): string =>
    days.map((day) => names[day - 1]).join(t.daySeparator);
  const isTokens = price.input !== null || price.output !== null || price.other_tokens.length > 0;
  const others = [
    ...price.per_image.map(({ of, usd }) => [t.perImage(of), usd] as const),
    ...price.per_second.map(({ of, usd }) => [t.perSecond(of), usd] as const),
    ...price.calls.map(
      ({ of, per, usd }) => [per === "use" ? t.perCall(of) : t.perRequest(of), usd] as const,
    ),
    ...price.units.map(({ of, usd }) => [t.perUnit(of), usd] as const),
    ...(price.request === null ? [] : [[t.everyRequest, price.request] as const]),
  ];
  return (
    <div className="flex flex-col gap-3">
      {isTokens && (
        <>
          <p className="text-mute">{t.perMillion}</p>
          <TokenPrices row={price} />
          {price.steps.map((step) => (
            <Fragment key={step.above}>
              <p className="text-mute">{t.above(step.above.toLocaleString("en"))}</p>
              <TokenPrices row={step} />
            </Fragment>
          ))}
          {price.tiers.map((row) => (
            <Fragment key={row.tier}>
              <p className="text-mute">{t.tierRow(row.tier)}</p>
              <TokenPrices row={row} />
            </Fragment>
          ))}
          {price.factors.length > 0 && (
            <>
              <p className="text-mute">{t.factors}</p>
              <Facts
                rows={price.factors.map(({ dimension, name, factor, utc, days }) => [
                  `${t.dimensions[dimension]} ${name}${utc === undefined ? "" : ` (${t.hours(utc.join(", "), weekdays(days))})`}`,
                  `× ${factor}`,
                ])}
              />
            </>
          )}
        </>
      )}
      {others.length > 0 && <Facts rows={others.map(([name, usd]) => [name, formatUsd(usd)])} />}
    </div>
  );
}
