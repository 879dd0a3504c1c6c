import { Alert, Button, Checkbox, Group, Paper, Radio, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { OptionCards } from '../enrolments/option-cards.tsx';
import { CoursePicker } from '../enrolments/pickers.tsx';
import { GroupPicker } from '../users/group.tsx';
import type { GroupEnrolment } from './group-rows.ts';

export type Typed = Omit<GroupEnrolment, 'group' | 'courseId' | 'durationId'> & {
  group: string | undefined;
  courseId: string | undefined;
  durationId: string | undefined;
};

type Props = {
  typed: Typed;
  onChange: (change: Partial<Typed>) => void;
  onPlan: (wanted: GroupEnrolment) => void;
  isPlanning: boolean;
};

/**
 * The options depend only on the group, so the options offered to one of its users apply to all of them. For selected
 * users, the options of the first one are shown.
 */
function useOffer({ group, users, courseId }: Typed) {
  const { $api } = useApi();
  const query = { GroupName: group ?? '', Limit: 1 };
  const members = $api.useQuery('get', '/user', { params: { query } }, { enabled: group !== undefined });
  const member = users ? users[0] : members.data?.Items[0]?.LoginID;
  const path = { LoginID: member ?? '', CourseID: courseId ?? '' };
  const isKnown = member !== undefined && courseId !== undefined;
  const offer = $api.useQuery(
    'get',
    '/catalogue/course/{CourseID}/{LoginID}',
    { params: { path } },
    { enabled: isKnown },
  );
  return {
    offer,
    member,
    isKnown,
    isEmpty: group !== undefined && members.data?.Items.length === 0,
    members,
  };
}

export function GroupForm({ typed, onChange, onPlan, isPlanning }: Props) {
  const t = useTranslations('bulk.group.form');
  const { group, users, courseId, ifEnrolled, enrolsOthers } = typed;
  const { offer, member, isKnown, isEmpty, members } = useOffer(typed);
  const options = offer.data?.AvailableEnrolOptions ?? [];
  const durationId = typed.durationId ?? (options.length === 1 ? options[0]?.DurationID : undefined);
  const isReady = isKnown && offer.data?.Status !== 'retired' && (enrolsOthers || ifEnrolled === 'extend');
  const plan = () => {
    if (courseId === undefined || durationId === undefined) return;
    onPlan({ group: group ?? '', users, courseId, durationId, ifEnrolled, enrolsOthers });
  };
  return (
    <Paper withBorder p="md" className="bulk-part" maw={640}>
      <Stack gap="md">
        {!users && (
          <GroupPicker
            value={group}
            onChange={(group) => onChange({ group, durationId: undefined })}
            placeholder={t('findGroup')}
            required
          />
        )}
        <CoursePicker
          value={courseId}
          onChange={(courseId) => onChange({ courseId, durationId: undefined })}
          required
        />
        {isEmpty && <Alert color="orange">{t('empty')}</Alert>}
        {members.error && <Failed error={members.error} onRetry={members.refetch} />}
        {isKnown && offer.isPending && <WaitingRows rows={2} />}
        {isKnown && offer.error && <Failed error={offer.error} onRetry={offer.refetch} />}
        {isKnown && offer.data && (
          <OptionCards
            options={options}
            value={durationId}
            onChange={(durationId) => onChange({ durationId })}
            isRetired={offer.data.Status === 'retired'}
            // Extending takes no seat.
            takesSeat={ifEnrolled === 'return'}
          />
        )}
        {users && users.length > 1 && offer.data && (
          <Text size="xs" c="dimmed" className="break">
            {t('optionsSelected', { user: member ?? '' })}
          </Text>
        )}
        <Radio.Group
          label={t('enrolled')}
          value={ifEnrolled}
          onChange={(value) => onChange({ ifEnrolled: value === 'extend' ? 'extend' : 'return' })}
        >
          <Stack gap="sm" mt="xs">
            <Radio value="return" label={t('keep')} />
            <Radio value="extend" label={t('extend')} description={t('extendText')} />
          </Stack>
        </Radio.Group>
        {!users && (
          <Checkbox
            checked={enrolsOthers}
            onChange={(event) => onChange({ enrolsOthers: event.currentTarget.checked })}
            label={t('others')}
          />
        )}
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed">
            {t('planText')}
          </Text>
          <Button loading={isPlanning} disabled={!isReady || durationId === undefined} onClick={plan}>
            {t('plan')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
