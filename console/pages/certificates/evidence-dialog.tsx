import { Anchor, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { useDownload, withQuery } from '../../parts/download.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { CoursePicker, LearnerPicker } from '../enrolments/pickers.tsx';
import { useToday } from '../reports/use-today.ts';
import { GroupPicker } from '../users/group.tsx';

type Chosen = { CourseID?: string | undefined; GroupName?: string | undefined; LoginID?: string | undefined };

/** Saves the signed file for auditors, for a day and a selection. */
export function EvidenceDialog({ chosen, onClose }: { chosen: Chosen; onClose: () => void }) {
  const t = useTranslations('certificates');
  const today = useToday();
  const { tenant } = useApi();
  const { TenantID } = useSession();
  const keys = `/issuer/${encodeURIComponent(tenant ?? TenantID ?? '')}/jwks.json`;
  const [day, setDay] = useState('');
  const [selected, setSelected] = useState(chosen);
  const set = (name: keyof Chosen) => (value: string | undefined) =>
    setSelected({ ...selected, [name]: value });
  const query = { ...selected, AsOf: day || undefined };
  const file = useDownload({
    ...{ path: withQuery('/evidence', query), accept: 'application/x-ndjson' },
    name: `evidence-${day || today}.ndjson`,
  });
  return (
    <FormDialog
      isOpen
      title={t('evidence')}
      onClose={onClose}
      submit={t('pack.save')}
      onSubmit={async () => {
        if (!(await file.run())) throw file.error;
      }}
    >
      <Text size="sm">
        {t.rich('pack.text', {
          keys: (words) => (
            <Anchor href={keys} download="jwks.json" underline="always" inherit>
              {words}
            </Anchor>
          ),
          program: (words) => (
            <Anchor href="/console/check-evidence.mjs" download underline="always" inherit>
              {words}
            </Anchor>
          ),
          guide: (words) => (
            <Anchor href="/docs/guide/evidence" underline="always" inherit>
              {words}
            </Anchor>
          ),
        })}
      </Text>
      <TextInput
        type="date"
        label={t('pack.day')}
        description={t('pack.dayText')}
        max={today}
        value={day}
        onChange={(event) => setDay(event.currentTarget.value)}
      />
      <CoursePicker value={selected.CourseID} onChange={set('CourseID')} />
      <GroupPicker value={selected.GroupName} onChange={set('GroupName')} />
      <LearnerPicker value={selected.LoginID} onChange={set('LoginID')} />
    </FormDialog>
  );
}
