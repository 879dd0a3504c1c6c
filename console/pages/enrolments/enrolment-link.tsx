import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** Leads to the page of an enrolment. */
export function EnrolmentLink({ of, text }: { of: { LoginID: string; EnrollID: string }; text: string }) {
  return (
    <Anchor
      className="break"
      inherit
      renderRoot={(props) => (
        <Link
          to="/console/enrolments/$loginId/$enrollId"
          params={{ loginId: of.LoginID, enrollId: of.EnrollID }}
          {...props}
        />
      )}
    >
      {text}
    </Anchor>
  );
}
