import { TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useDayValue } from '../../parts/day-zone.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { PairsField, pairsOf, recordOf } from '../../parts/pairs.tsx';
import { factorOfText, TimeFactorField, textOfFactor } from '../../parts/time-factor.tsx';
import { useChange } from './use-changes.ts';
import type { Enrolment } from './values.tsx';

type Props = { enrolment: Enrolment; isOpen: boolean; onClose: () => void };

export function DetailsDialog({ enrolment, isOpen, onClose }: Props) {
  const t = useTranslations('enrolments');
  const act = useTranslations('act');
  const change = useChange(enrolment);
  const dayOf = useDayValue();
  const [reference, setReference] = useFormState(isOpen, () => enrolment.Reference ?? '');
  const [pairs, setPairs] = useFormState(isOpen, () => pairsOf(enrolment.Metadata));
  const factorNow = textOfFactor(enrolment.TimeFactor);
  const [factor, setFactor] = useFormState(isOpen, () => factorNow);
  const dueNow = enrolment.DueAt === null ? '' : dayOf(enrolment.DueAt);
  const [due, setDue] = useFormState(isOpen, () => dueNow);
  const submit = () => {
    // An unchanged factor may be the user's.
    const TimeFactor = factor === 'user' ? factor : factorOfText(factor);
    return change(
      {
        ...{ Reference: reference || null, Metadata: recordOf(pairs) },
        ...(due !== dueNow && { DueAt: due || null }),
        ...(factor !== factorNow && { TimeFactor }),
      },
      t('details.done'),
    );
  };
  return (
    <FormDialog
      title={t('details.edit')}
      isOpen={isOpen}
      onClose={onClose}
      submit={act('save')}
      onSubmit={submit}
    >
      <TextInput
        type="date"
        label={t('dueAt')}
        description={t('dueText')}
        value={due}
        onChange={(event) => setDue(event.currentTarget.value)}
        maw={260}
      />
      <TextInput
        label={t('reference')}
        description={t('referenceText')}
        maxLength={255}
        value={reference}
        onChange={(event) => setReference(event.currentTarget.value)}
      />
      <TimeFactorField value={factor} onChange={setFactor} inherits />
      <PairsField
        label={t('details.metadata')}
        text={t('details.metadataText')}
        pairs={pairs}
        onChange={setPairs}
        max={20}
        maxName={40}
        maxValue={500}
      />
    </FormDialog>
  );
}
