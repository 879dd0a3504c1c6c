import { Alert, Anchor, Badge, Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { Message } from '../../parts/states.tsx';
import { Note } from '../../parts/values.tsx';
import { AudienceText } from './audience-text.tsx';
import { type Requirement, useComplianceByRequirement } from './record.ts';
import { useFigureColumns } from './status.tsx';
import { useTermText } from './words.ts';

/** All requirements, with how many people are in each status. */
export default function Requirements() {
  const t = useTranslations('requirements');
  const shell = useTranslations('shell');
  const { $api } = useApi();
  const list = $api.useInfiniteQuery('get', '/requirement', { params: { query: {} } }, paged);
  const lines = useComplianceByRequirement().data?.Items ?? [];
  const settings = $api.useQuery('get', '/settings').data;
  const all = list.data?.pages.flatMap((page) => page?.Items ?? []) ?? [];
  const isOn = settings?.Reminders.Enabled || all.some(({ Reminders }) => Reminders?.Enabled);
  const term = useTermText();
  const figures = useFigureColumns<Requirement>(
    ['Overdue', 'Expired', 'DueSoon', 'Expiring', 'ValidPercent', 'Obligations'],
    ({ RequirementID }) => lines.find((line) => line.RequirementID === RequirementID),
    ({ RequirementID }) => ({ requirement: RequirementID }),
  );
  const create = (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/console/requirements/edit" search={{}} {...props} />}
    >
      {t('create')}
    </Button>
  );
  return (
    <Page title={shell('menu.requirements')} text={t('text')} actions={create}>
      {settings?.SendsMail === false && isOn && (
        <Alert color="orange" variant="light" title={t('noMailTitle')} mb="md">
          {t('noMail')}
        </Alert>
      )}
      <List
        label={shell('menu.requirements')}
        query={list}
        rowKey={({ RequirementID }) => RequirementID}
        columns={[
          {
            key: 'title',
            header: t('title'),
            cell: ({ RequirementID, Title, Status }) => (
              <>
                <Anchor
                  className="break"
                  inherit
                  renderRoot={(props) => (
                    <Link
                      to="/console/requirements/edit"
                      search={{ id: RequirementID } as never}
                      {...props}
                    />
                  )}
                >
                  {Title}
                </Anchor>
                {Status === 'retired' && <Badge color="gray">{t('retired')}</Badge>}
              </>
            ),
          },
          {
            key: 'rule',
            header: t('rule'),
            cell: (one) => (
              <>
                <AudienceText {...one.Audience} />
                <Note>{term(one)}</Note>
              </>
            ),
          },
          ...figures,
        ]}
        empty={
          <Message title={t('none')} text={t('noneText')}>
            {create}
          </Message>
        }
      />
    </Page>
  );
}
