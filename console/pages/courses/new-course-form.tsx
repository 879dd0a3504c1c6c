import { Fieldset, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { choiceOf } from '../../parts/choices.ts';
import { DurationField } from './duration-field.tsx';
import type { NewCourseChoice } from './new-course.ts';
import { TenantsField } from './tenants-field.tsx';
import { starts } from './values.tsx';

type FormProps = { choice: NewCourseChoice; onChange: (changed: Partial<NewCourseChoice>) => void };

/** The enrolment option that each new course gets, and the tenants that it is offered to. */
export function NewCourseForm({ choice, onChange }: FormProps) {
  const t = useTranslations('courses.import.newCourses');
  const options = useTranslations('courses.options');
  const { Duration, StartsOn, Tenants } = choice;
  return (
    <Fieldset legend={t('title')} radius="md">
      <Stack>
        <Text size="sm" c="dimmed" maw="70ch">
          {t('text')}
        </Text>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          <Stack>
            <DurationField
              value={Duration}
              usual="P1Y"
              onChange={(duration) => onChange({ Duration: duration })}
            />
            {Duration !== null && (
              <Radio.Group
                label={options('startsOn')}
                value={StartsOn}
                onChange={(value) => onChange({ StartsOn: choiceOf(starts, value) ?? StartsOn })}
              >
                <Stack gap="xs" mt="xs">
                  <Radio value="enrolment" label={options('starts.enrolment')} />
                  <Radio value="launch" label={options('starts.launch')} />
                </Stack>
              </Radio.Group>
            )}
          </Stack>
          <TenantsField value={Tenants} onChange={(tenants) => onChange({ Tenants: tenants })} />
        </SimpleGrid>
      </Stack>
    </Fieldset>
  );
}
