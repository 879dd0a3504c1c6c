import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { Link, type LinkProps, useCanGoBack } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { usePageTitle } from '../shell/branding.tsx';

type PageProps = {
  title: string;
  /** One line under the title. */
  text?: ReactNode;
  /** Buttons; the most important one last. */
  actions?: ReactNode;
  /** The list that this page belongs to. */
  back?: { to: LinkProps['to']; text: string };
  /** A status or tabs next to the title. */
  badge?: ReactNode;
  children: ReactNode;
};

/** If the focused link or dialog disappeared with the previous page, focuses the heading of the new one. */
function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null);
  const hasArrived = useCanGoBack();
  useEffect(() => {
    if (hasArrived && document.activeElement === document.body) heading.current?.focus();
  }, [hasArrived]);
  return heading;
}

/** The frame of every page: a level-one heading, its actions, and the title of the browser tab. */
export function Page({ title, text, actions, back, badge, children }: PageProps) {
  usePageTitle(title);
  const heading = useHeadingFocus();
  return (
    <Stack>
      <div className="page-head">
        {back && (
          <div>
            <Anchor
              size="sm"
              lh={1.2}
              display="block"
              w="fit-content"
              renderRoot={(props) => <Link to={back.to} {...props} />}
            >
              {back.text}
            </Anchor>
          </div>
        )}
        <Group gap="sm">
          <Title order={1} size="h2" className="break page-title" tabIndex={-1} ref={heading}>
            {title}
          </Title>
          {badge}
        </Group>
        {text !== undefined && (
          <Text c="dimmed" size="sm" component="div" className="page-text">
            {text}
          </Text>
        )}
        {actions && <Group gap="sm">{actions}</Group>}
      </div>
      {children}
    </Stack>
  );
}
