import {
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Paper,
  Radio,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { ConfirmButton, useAction } from '../../parts/action.tsx';
import { IdField } from '../../parts/id-field.tsx';
import { idOf } from '../../parts/id-of.ts';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { PeriodField } from '../../parts/period-field.tsx';
import { RetainField } from '../../parts/retain-field.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { useFoundCourses } from '../courses/find-offered.ts';
import { CoursesPicker } from '../enrolments/pickers.tsx';
import { AudienceFields } from './audience-fields.tsx';
import { Plan } from './plan.tsx';
import { type Requirement, type RequirementChange, readRequirements } from './record.ts';
import { Voided } from './voided.tsx';

type Planned = components['schemas']['RequirementPlan'];

const fresh = {
  ...{ Title: '', CourseIDs: [] as string[], Audience: {}, DueAfter: 'P30D', DueOn: null },
  ...{ ValidFor: null, Cycle: null, Window: null, CountsFrom: 'completion', CountsEarlier: true },
  ...{
    DueSoonDays: 14,
    ExpiringDays: 30,
    DurationID: null,
    Status: 'active',
    Reminders: null,
    RetainYears: null,
  },
} satisfies RequirementChange;
type Rule = Omit<Requirement, 'RequirementID' | 'Voided' | 'Pending' | 'CreatedAt' | 'UpdatedAt'>;

type PartProps = { now: Rule; set: (change: Partial<Rule>) => void };

/** The rule, and what it would change, which is shown before it is saved. */
export function RequirementForm({ requirement }: { requirement: Requirement | null }) {
  const t = useTranslations('requirements');
  const { client } = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [id, setId] = useState<string | null>(null);
  const [change, setChange] = useState<Partial<Rule>>({});
  const [plan, setPlan] = useState<Planned | null>(null);
  const now: Rule = { ...fresh, ...requirement, ...change };
  const RequirementID = requirement?.RequirementID ?? id ?? idOf(now.Title);
  const set = (changed: Partial<Rule>) => {
    setChange((before) => ({ ...before, ...changed }));
    setPlan(null);
  };
  const put = (query: { Plan?: boolean; Confirm?: number }, body: Partial<Rule>) =>
    dataOf(client.PUT('/requirement/{RequirementID}', { params: { path: { RequirementID }, query }, body }));
  const body = requirement === null ? { ...fresh, ...change } : change;
  const isNew = requirement === null;
  const planning = useAction(async () => {
    const known = isNew ? await readRequirements(client) : [];
    if (known.some((one) => one.RequirementID === RequirementID))
      throw { code: 'requirement_exists', title: t('takenTitle'), detail: t('taken') };
    setPlan((await put({ Plan: true }, body)) as Planned);
  });
  const saved = async () => {
    await queries.invalidateQueries();
    notify(t('saved'));
    setChange({});
    await navigate({ to: '/console/requirements', search: {} });
  };
  const saving = useAction(async () => {
    await put({ Confirm: plan?.Opens ?? 0 }, body);
    await saved();
  });
  const retiring = async () => {
    await put({ Confirm: 1_000_000_000 }, { Status: now.Status === 'active' ? 'retired' : 'active' });
    await saved();
  };
  const isChanged = Object.keys(change).length > 0;
  const missing = now.Title.trim() === '' ? 'title' : now.CourseIDs.length === 0 ? 'course' : null;
  return (
    <Stack
      maw={720}
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        void (plan ? saving.run() : planning.run());
      }}
    >
      <TextInput
        label={t('title')}
        required
        maxLength={255}
        value={now.Title}
        onChange={(event) => set({ Title: event.currentTarget.value })}
      />
      {isNew && (
        <IdField
          label="RequirementID"
          description={t('idText')}
          maxLength={100}
          value={RequirementID}
          onChange={(id) => {
            setId(id);
            setPlan(null);
          }}
        />
      )}
      <Courses now={now} set={set} />
      <Part title={t('who')}>
        <AudienceFields value={now.Audience} onChange={(Audience) => set({ Audience })} />
      </Part>
      <Part title={t('when')}>
        <Due now={now} set={set} />
      </Part>
      <Part title={t('repeat')}>
        <Term now={now} set={set} />
      </Part>
      <Part title={t('keep')}>
        <RetainField
          label={t('keepYears')}
          description={t('keepText')}
          value={now.RetainYears}
          onChange={(RetainYears) => set({ RetainYears })}
        />
      </Part>
      {requirement && (
        <Part title={t('void.part')}>
          <Voided requirement={requirement} />
        </Part>
      )}
      <FailedAction error={planning.error ?? saving.error} />
      {plan && <Plan plan={plan} />}
      <Group justify="space-between">
        {requirement ? (
          <ConfirmButton
            text={t(now.Status === 'active' ? 'retire' : 'reactivate')}
            title={t(now.Status === 'active' ? 'retireTitle' : 'reactivateTitle')}
            question={t(now.Status === 'active' ? 'retireText' : 'reactivateText')}
            confirm={t(now.Status === 'active' ? 'retire' : 'reactivate')}
            isDangerous={now.Status === 'active'}
            act={retiring}
          />
        ) : (
          <span />
        )}
        <Group>
          <Text size="sm" c="dimmed">
            {missing ? t(`missing.${missing}`) : plan ? '' : t('planFirst')}
          </Text>
          <Button
            type="submit"
            disabled={missing !== null || !isChanged}
            loading={planning.isRunning || saving.isRunning}
          >
            {plan ? t('confirm', { count: plan.Opens }) : t('plan')}
          </Button>
        </Group>
      </Group>
      <LeaveGuard isOn={isChanged && !saving.isRunning} text={t('leaveText')} />
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Stack>
        <Title order={2} size="h5">
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  );
}

/** The courses, and the option of the first one if it has several. */
function Courses({ now, set }: PartProps) {
  const t = useTranslations('requirements');
  const [first] = useFoundCourses(now.CourseIDs.slice(0, 1));
  const options = first?.AvailableEnrolOptions ?? [];
  return (
    <>
      <CoursesPicker
        values={now.CourseIDs}
        onChange={(CourseIDs) => set({ CourseIDs, DurationID: null })}
        max={20}
      />
      {now.CourseIDs.length > 1 && (
        <Text size="sm" c="dimmed">
          {t('anyCourse', { course: first?.Title ?? '' })}
        </Text>
      )}
      {options.length > 1 && (
        <NativeSelect
          label={t('option')}
          required
          value={now.DurationID ?? ''}
          onChange={({ currentTarget: { value } }) => set({ DurationID: value || null })}
          data={[
            { value: '', label: '' },
            ...options.map(({ DurationID, Name }) => ({ value: DurationID, label: Name })),
          ]}
        />
      )}
    </>
  );
}

function Due({ now, set }: PartProps) {
  const t = useTranslations('requirements');
  const isFixed = now.DueOn !== null;
  return (
    <>
      <Radio.Group
        aria-label={t('when')}
        value={isFixed ? 'on' : 'after'}
        onChange={(value) =>
          set(value === 'on' ? { DueOn: '', DueAfter: null } : { DueOn: null, DueAfter: 'P30D' })
        }
      >
        <Group>
          <Radio value="after" label={t('due.after')} />
          <Radio value="on" label={t('due.on')} />
        </Group>
      </Radio.Group>
      {isFixed ? (
        <TextInput
          type="date"
          label={t('due.day')}
          required
          value={now.DueOn ?? ''}
          onChange={(event) => set({ DueOn: event.currentTarget.value })}
          maw={260}
        />
      ) : (
        <PeriodField
          label={t('due.period')}
          description={t('due.periodText')}
          required
          value={now.DueAfter}
          onChange={(DueAfter) => set({ DueAfter })}
        />
      )}
      <NumberInput
        label={t('due.soon')}
        min={0}
        max={365}
        allowDecimal={false}
        value={now.DueSoonDays}
        onChange={(value) => typeof value === 'number' && set({ DueSoonDays: value })}
        maw={260}
      />
      <NativeSelect
        label={t('earlier.label')}
        value={String(now.CountsEarlier).length === 10 ? 'since' : String(now.CountsEarlier)}
        onChange={({ currentTarget: { value } }) =>
          set({ CountsEarlier: value === 'since' ? '2026-01-01' : value === 'true' })
        }
        data={(['true', 'false', 'since'] as const).map((value) => ({ value, label: t(`earlier.${value}`) }))}
      />
      {typeof now.CountsEarlier === 'string' && (
        <TextInput
          type="date"
          label={t('earlier.day')}
          required
          value={now.CountsEarlier}
          onChange={(event) => set({ CountsEarlier: event.currentTarget.value })}
          maw={260}
        />
      )}
    </>
  );
}

const kinds = ['never', 'period', 'cycle'] as const;

function Term({ now, set }: PartProps) {
  const t = useTranslations('requirements');
  const kind = now.ValidFor !== null ? 'period' : now.Cycle ? 'cycle' : 'never';
  const terms = {
    never: { ValidFor: null, Cycle: null, Window: null },
    period: { ValidFor: 'P1Y', Cycle: null },
    cycle: { ValidFor: null, Cycle: { On: '12-31', Years: 1 } },
  };
  const choose = (value: string) => set(terms[kinds.find((one) => one === value) ?? 'never']);
  return (
    <>
      <Radio.Group aria-label={t('repeat')} value={kind} onChange={choose}>
        <Stack gap="xs">
          {kinds.map((value) => (
            <Radio key={value} value={value} label={t(`term.${value}`)} />
          ))}
        </Stack>
      </Radio.Group>
      {kind === 'period' && (
        <PeriodField
          label={t('term.validFor')}
          required
          value={now.ValidFor}
          onChange={(ValidFor) => set({ ValidFor })}
        />
      )}
      {now.Cycle && (
        <Group grow align="flex-start">
          <TextInput
            label={t('term.on')}
            description={t('term.onText')}
            inputWrapperOrder={['label', 'input', 'description']}
            required
            pattern="\d\d-\d\d"
            value={now.Cycle.On}
            onChange={(event) => set({ Cycle: { ...now.Cycle, On: event.currentTarget.value } })}
          />
          <NumberInput
            label={t('term.years')}
            min={1}
            max={10}
            allowDecimal={false}
            value={now.Cycle.Years ?? 1}
            onChange={(Years) =>
              now.Cycle && typeof Years === 'number' && set({ Cycle: { ...now.Cycle, Years } })
            }
          />
        </Group>
      )}
      {kind !== 'never' && (
        <>
          <PeriodField
            label={t('term.window')}
            description={t('term.windowText')}
            value={now.Window}
            onChange={(Window) => set({ Window })}
          />
          <NumberInput
            label={t('term.expiring')}
            min={0}
            max={365}
            allowDecimal={false}
            value={now.ExpiringDays}
            onChange={(value) => typeof value === 'number' && set({ ExpiringDays: value })}
            maw={260}
          />
        </>
      )}
      {kind === 'period' && (
        <Radio.Group
          label={t('from.label')}
          value={now.CountsFrom}
          onChange={(value) => set({ CountsFrom: value === 'expiry' ? 'expiry' : 'completion' })}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="completion" label={t('from.completion')} />
            <Radio value="expiry" label={t('from.expiry')} />
          </Stack>
        </Radio.Group>
      )}
    </>
  );
}
