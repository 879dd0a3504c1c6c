import type { ReactNode } from 'react';
import { IntlProvider, useLocale, useMessages } from 'use-intl';
import type { GroupEnrolment } from './group-rows.ts';

type Props = Pick<GroupEnrolment, 'ifEnrolled' | 'users'> & { children: ReactNode };

/** Replaces the texts about the rows of a file with texts about the people in a group. */
export function GroupTexts({ ifEnrolled, users, children }: Props) {
  const locale = useLocale();
  const messages = useMessages();
  const { bulk } = messages;
  const { form: _, kept, extended, selected, ...ofGroup } = bulk.group;
  const texts = { ...ofGroup, ...(users ? selected : {}) };
  const tileTexts = {
    ...bulk.tileTexts,
    refused: texts.refusedText,
    exists: { ...bulk.tileTexts.exists, enrolments: ifEnrolled === 'extend' ? extended : kept },
  };
  const tiles = { ...bulk.tiles, toCreate: texts.toCreate, created: texts.created };
  const apply = { ...bulk.apply, enrolments: texts.applyTo };
  const replaced = { ...messages, bulk: { ...bulk, ...texts, tiles, tileTexts, apply } };
  return (
    <IntlProvider locale={locale} messages={replaced}>
      {children}
    </IntlProvider>
  );
}
