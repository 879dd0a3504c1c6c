import type { ReactNode } from 'react';
import { IntlProvider, useLocale, useMessages } from 'use-intl';

export type Change = 'extend' | 'withdraw' | 'publish';

type Props = { change: Change; children: ReactNode };

/** Replaces the texts about files with texts about changing selected rows. */
export function ChangeTexts({ change, children }: Props) {
  const locale = useLocale();
  const messages = useMessages();
  const { bulk } = messages;
  const { refused, unchanged, extend, withdraw, publish, ...texts } = bulk.selection;
  const own = { extend, withdraw, publish }[change];
  const replaced = {
    ...texts,
    tiles: { ...bulk.tiles, exists: { ...bulk.tiles.exists, enrolments: unchanged } },
    tileTexts: { ...bulk.tileTexts, exists: { ...bulk.tileTexts.exists, enrolments: own.exists }, refused },
    existing: { ...bulk.existing, ...own.existing },
    subjectOf: { ...bulk.subjectOf, enrolments: own.subject },
  };
  return (
    <IntlProvider locale={locale} messages={{ ...messages, bulk: { ...bulk, ...replaced } }}>
      {children}
    </IntlProvider>
  );
}
