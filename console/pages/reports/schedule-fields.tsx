import { Group, NativeSelect, NumberInput, Radio, Stack, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { choiceOf } from '../../parts/choices.ts';
import { TimeZoneField } from '../../parts/time-zone-field.tsx';
import { CoursePicker } from '../enrolments/pickers.tsx';
import { useRequirements } from '../requirements/record.ts';
import { GroupFilter } from '../users/group.tsx';
import { units } from './activity-figures.ts';
import { deliveries, type FormValues, frequencies, kindsOf, reports, weekdays } from './schedule-form.ts';
import { RecipientsField } from './schedule-recipients.tsx';
import { useWeekdayName } from './schedule-words.ts';

type Props = { typed: FormValues; onChange: (typed: FormValues) => void };

export function ScheduleFields({ typed, onChange }: Props) {
  const t = useTranslations('reports.schedules');
  const set = (change: Partial<FormValues>) => onChange({ ...typed, ...change });
  return (
    <>
      <TextInput
        label={t('name')}
        description={t('nameText')}
        required
        maxLength={100}
        data-autofocus
        value={typed.Name}
        onChange={(event) => set({ Name: event.currentTarget.value })}
      />
      <Content typed={typed} set={set} />
      <Times typed={typed} set={set} />
      <Radio.Group
        label={t('delivery')}
        value={typed.Delivery}
        onChange={(value) => set({ Delivery: choiceOf(deliveries, value) ?? typed.Delivery })}
      >
        <Stack gap="xs" mt="xs">
          {deliveries.map((value) => (
            <Radio
              key={value}
              value={value}
              label={t(`deliveries.${value}`)}
              description={t(`deliveryTexts.${value}`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      {typed.Delivery === 'email' && (
        <RecipientsField value={typed.Recipients} onChange={(Recipients) => set({ Recipients })} />
      )}
    </>
  );
}

type PartProps = { typed: FormValues; set: (change: Partial<FormValues>) => void };

/** What is reported. */
function Content({ typed, set }: PartProps) {
  const t = useTranslations('reports.schedules');
  const activity = useTranslations('reports.activity');
  return (
    <>
      <Group grow align="flex-start">
        <NativeSelect
          label={t('report')}
          value={typed.Report}
          onChange={(event) => {
            const Report = choiceOf(reports, event.currentTarget.value) ?? typed.Report;
            const By = choiceOf(kindsOf[Report], typed.By) ?? kindsOf[Report][0];
            set({ Report, ...(By && { By }) });
          }}
          data={reports.map((value) => ({ value, label: t(`reports.${value}`) }))}
        />
        {typed.Report !== 'activity' ? (
          <NativeSelect
            label={t('by')}
            value={typed.By}
            onChange={(event) =>
              set({ By: choiceOf(kindsOf[typed.Report], event.currentTarget.value) ?? typed.By })
            }
            data={kindsOf[typed.Report].map((value) => ({ value, label: t(`kinds.${value}`) }))}
          />
        ) : (
          <NativeSelect
            label={t('by')}
            value={typed.Unit}
            onChange={(event) => set({ Unit: choiceOf(units, event.currentTarget.value) ?? typed.Unit })}
            data={units.map((value) => ({ value, label: activity(`units.${value}`) }))}
          />
        )}
      </Group>
      {typed.Report === 'activity' && (
        <NumberInput
          label={t('days')}
          required
          min={1}
          max={366}
          allowDecimal={false}
          value={typed.Days}
          onChange={(value) => set({ Days: Number(value) || 1 })}
        />
      )}
      <Group grow align="flex-start">
        {typed.Report === 'compliance' ? (
          <RequirementField
            value={typed.RequirementID}
            onChange={(RequirementID) => set({ RequirementID })}
          />
        ) : (
          <CoursePicker value={typed.CourseID} onChange={(CourseID) => set({ CourseID })} />
        )}
        <GroupFilter value={typed.GroupName} onChange={(GroupName) => set({ GroupName })} className="" />
      </Group>
    </>
  );
}

type FieldProps = { value: string | undefined; onChange: (value: string | undefined) => void };

function RequirementField({ value = '', onChange }: FieldProps) {
  const o = useTranslations('obligations');
  const list = useTranslations('list');
  const requirements = useRequirements();
  return (
    <NativeSelect
      label={o('requirement')}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      data={[
        { value: '', label: list('all') },
        ...requirements.map(({ RequirementID, Title }) => ({ value: RequirementID, label: Title })),
      ]}
    />
  );
}

/** When it is sent. */
function Times({ typed, set }: PartProps) {
  const t = useTranslations('reports.schedules');
  const weekday = useWeekdayName();
  return (
    <>
      <Group grow align="flex-start">
        <NativeSelect
          label={t('every')}
          value={typed.Every}
          onChange={(event) =>
            set({ Every: choiceOf(frequencies, event.currentTarget.value) ?? typed.Every })
          }
          data={frequencies.map((value) => ({ value, label: t(`frequencies.${value}`) }))}
        />
        {typed.Every === 'week' && (
          <NativeSelect
            label={t('weekday')}
            value={typed.Weekday}
            onChange={(event) =>
              set({ Weekday: choiceOf(weekdays, event.currentTarget.value) ?? typed.Weekday })
            }
            data={weekdays.map((value) => ({ value, label: weekday(value) }))}
          />
        )}
        {typed.Every === 'month' && (
          <NumberInput
            label={t('monthDay')}
            description={t('monthDayText')}
            inputWrapperOrder={['label', 'input', 'description']}
            required
            min={1}
            max={31}
            allowDecimal={false}
            value={typed.MonthDay}
            onChange={(value) => set({ MonthDay: Number(value) || 1 })}
          />
        )}
      </Group>
      <Group grow align="flex-start">
        <TextInput
          type="time"
          label={t('time')}
          required
          value={typed.Time}
          onChange={(event) => set({ Time: event.currentTarget.value.slice(0, 5) })}
        />
        <TimeZoneField value={typed.TimeZone} onChange={(TimeZone) => set({ TimeZone })} />
      </Group>
    </>
  );
}
