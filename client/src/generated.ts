// Written by `npm run generate` from openapi.json. Do not edit.

export interface paths {
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a key for an access token (OAuth 2.0 client credentials)
         * @description RFC 6749 §4.4. Send the KeyID and the secret in the body or as HTTP Basic credentials. The token has the scopes of its key, or the subset that you request.
         */
        post: operations["createAccessToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys of your own tenant
         * @description Includes revoked and expired keys, and those that the operator created.
         */
        get: operations["listOwnKeys"];
        put?: never;
        /**
         * Create a key for your own tenant
         * @description For administrators who are signed in to the console; keys cannot create keys. The key can have only scopes that the session has. Without `Scopes`, it has all of them. The secret is shown only in this response. The key belongs to the tenant: it keeps working if the administrator leaves. A tenant can have 100 usable keys.
         */
        post: operations["createOwnKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/key/{KeyID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key of your own tenant
         * @description Revokes any key of the tenant, no matter who created it. Access tokens issued for the key stop working as well.
         */
        delete: operations["revokeOwnKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description All filters can be combined. Ordered by LoginID, unless you search or send `Order`. `name` orders by LastName, then FirstName, ignoring case and accents.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create a user
         * @description Repeating the request is safe: if the user exists with the same data, the response is 200; if any field that you sent differs, it is 409 `user_exists`, which lists these fields. With `IfExists`, the user is updated instead.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the groups of users
         * @description The distinct values of GroupName, for filters and suggestions.
         */
        get: operations["listGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/{LoginID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user
         * @description The password is never returned.
         */
        get: operations["readUser"];
        /**
         * Change a user
         * @description Fields that you leave out keep their values; `null` clears a field. LoginID cannot be changed.
         */
        put: operations["updateUser"];
        post?: never;
        /**
         * Erase a user's personal data and end their access
         * @description Personal data is erased, access ends, and anonymous results are kept. The receipt says what was erased and what was kept. Large erasures take a while; they continue if you disconnect, and repeating the call returns the same receipt.
         */
        delete: operations["eraseUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/check/{LoginID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether a user exists and is enabled
         * @description The status is always 200. For a user who does not exist, `Result` is -1.
         */
        get: operations["checkUser"];
        put?: never;
        /**
         * Check a user's hashed password
         * @description Send the password hashed with the same function as when the user was created. After ten wrong passwords for one user within 15 minutes the response is 429.
         */
        post: operations["checkPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/password/{LoginID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set a password for the pages of this service
         * @description For administrators. Hash the password with the function that `GET /session/password/{TenantID}` returns. The user can sign in with this password even if the tenant has declared no hash function. The user's sessions, invitation and password resets end. Invite users instead if they can receive a link, so that nobody else knows their password.
         */
        put: operations["setPassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invitations
         * @description Each user's newest invitation, newest first. The list never contains a link.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite a user to set a password
         * @description The link opens a page where the user sets a password and is signed in. It works once and for seven days. If `SMTP_URL` is set, the service emails it to the user. The user's earlier invitation stops working. Invite users who forgot their password in the same way.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitation/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite many users
         * @description Each row is processed like a call to `POST /invitation`. Rows are independent: a rejected row does not affect the others.
         */
        post: operations["createInvitations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitation/{LoginID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user's newest invitation
         * @description The response never contains a link.
         */
        get: operations["readInvitation"];
        put?: never;
        post?: never;
        /**
         * Revoke a user's invitation
         * @description Its links stop working immediately. An invitation that is no longer pending stays as it is.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitation/{LoginID}/{InvitationID}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create another link for an invitation
         * @description For an application that delivers invitations: it receives the event `invitation.created`, which contains no link, and requests one here. Up to five links of an invitation work at the same time; using one ends all of them.
         */
        post: operations["createInvitationLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List emails to users
         * @description Newest first, with the responses from the mail server. The list never contains links. If `SMTP_URL` is not set, no emails are sent.
         */
        get: operations["listMails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mail/bounce": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report an email that bounced
         * @description Call this when your mail provider reports that it could not deliver an email. After a permanent bounce, the service sends no email to this address for the tenant, until the address of the user changes or the bounce is cleared. Repeating a report is safe.
         */
        post: operations["reportBounce"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/{LoginID}/bounce": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Clear the bounce of a user's email address
         * @description The service sends email to the address again, also for other users of the tenant with the same address. If your mail provider keeps a suppression list, remove the address from it too.
         */
        delete: operations["clearBounce"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrol/{LoginID}/{CourseID}/{DurationID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enrol a user with a given enrolment option
         * @description Use this form when the course has several enrolment options. `IfEnrolled` decides what happens if the user is already enrolled; by default the current enrolment is returned.
         */
        post: operations["enrolWithOption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrol/{LoginID}/{CourseID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enrol a user on a course with a single enrolment option
         * @description If the course has several options, the response is 409 `multiple_enrolment_options`, which lists them with the path to use for each.
         */
        post: operations["enrol"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/catalogue/course/{CourseID}/{LoginID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a course as offered to a user
         * @description Includes the options that this user can choose and the user's current enrolment.
         */
        get: operations["readOffer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrolment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List enrolments
         * @description All filters can be combined. Use `ChangedAfter` to synchronise, or follow `GET /events`.
         */
        get: operations["listEnrolments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrolment/{LoginID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a user's enrolments
         * @description Includes ended enrolments.
         */
        get: operations["listEnrolmentsOfUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrolment/{LoginID}/{EnrollID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an enrolment
         * @description Returns the same record as the operation that enrols the user.
         */
        get: operations["readEnrolment"];
        /**
         * Change an enrolment
         * @description Changes when access ends, withdraws or reinstates the enrolment, changes Reference and Metadata, sets the rules for attempts, or overrides the result. Fields that you leave out keep their values.
         */
        put: operations["updateEnrolment"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrolment/{LoginID}/{EnrollID}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain whether the learner can start now
         * @description Checks the same rules as a click on the launch link, and reports which rules fail and what to do about them.
         */
        get: operations["explainEnrolment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrolment/{LoginID}/{EnrollID}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the timeline of an enrolment
         * @description Lists every launch, every commit with its result, and every event, for example for support staff.
         */
        get: operations["readTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrolment/{LoginID}/{EnrollID}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the data that a course recorded for an enrolment
         * @description Lists the units that the learner opened, with their results, objectives and interactions: the questions asked, the answers given, and the time taken. Earlier attempts remain available.
         */
        get: operations["readActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrolment/course/{CourseID}/interaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a course's interactions
         * @description Lists the answers that the tenant's learners gave to each question in a course, in the current and earlier attempts. Send `Accept: text/csv` for a table. A page may have fewer rows than `Limit`: continue while there is a NextCursor.
         */
        get: operations["listCourseInteractions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrolment/course/{CourseID}/question": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the answers to a course's questions
         * @description For each question, returns how many learners gave each answer, how many answers were correct, and how long the answers took. In each attempt, only the last answer to a question counts. A response covers up to 50 enrolments. While there is a NextCursor, send it with the next request, and add up the numbers from all responses.
         */
        get: operations["readCourseQuestions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrolment/{LoginID}/{EnrollID}/attempt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an enrolment's attempts
         * @description Lists every attempt with its own result, whether or not the attempt counts. To read the data that the course recorded in an attempt, use `/activity?Attempt=`.
         */
        get: operations["listAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrolment/{LoginID}/{EnrollID}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset an enrolment
         * @description The learner starts over: the next launch starts a new attempt on the current release, and the limit applies to attempts from then on. Earlier attempts remain available but no longer count. An override is kept. If nothing has been recorded since the last reset, nothing changes.
         */
        post: operations["resetEnrolment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create many users, and enrol them
         * @description Each row is processed like a call to `POST /user` and, if it has a CourseID, then like a call to `POST /enrol/{LoginID}/{CourseID}`, which needs the scope `enrolments:write`. To enrol a user on several courses, send several rows. They must not contradict one another, because rows are processed in groups of 200: all users first, then their enrolments. If the user is rejected, the enrolment is not attempted; if the enrolment is rejected, the user is kept. Rows are independent: a rejected row does not affect the others.
         */
        post: operations["createUsers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrol/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enrol many users
         * @description Each row is processed like a call to `POST /enrol/{LoginID}/{CourseID}`. Rows are independent: a rejected row does not affect the others.
         */
        post: operations["enrolMany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrolment/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List enrolment keys
         * @description Shows only the first characters of each key.
         */
        get: operations["listEnrolmentKeys"];
        put?: never;
        /**
         * Create enrolment keys (vouchers)
         * @description Each key enrols one user on all of its courses. The keys are shown only in this response.
         */
        post: operations["issueEnrolmentKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrolment/key/{Key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an enrolment key
         * @description Accepts the KeyID, or the key as it was typed.
         */
        get: operations["readEnrolmentKey"];
        put?: never;
        post?: never;
        /**
         * Revoke an enrolment key
         * @description A revoked key cannot be redeemed. Enrolments made with it are not affected.
         */
        delete: operations["revokeEnrolmentKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrol/key/{LoginID}/{Key}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check what redeeming an enrolment key would do
         * @description For a page that shows the courses before the user confirms. Changes nothing and fails like the redemption; unknown keys count towards the same limit.
         */
        post: operations["checkEnrolmentKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrol/key/{LoginID}/{Key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeem an enrolment key
         * @description Enrols the user on all courses of the key, or on none. Repeating the request for the same user is safe.
         */
        post: operations["redeemEnrolmentKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/{LoginID}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export all data held about a user
         * @description For data subject access requests. The response is one document.
         */
        get: operations["exportUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/session/{LoginID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a one-time sign-in link for a user
         * @description The link signs the user in to this service's own pages. It works once and expires after a short time. Redirect the user's browser to it.
         */
        post: operations["createSignInLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the page for a sign-in link
         * @description Only the button on the page uses up the link, so mail scanners that follow links do no harm.
         */
        get: operations["openSignInLink"];
        put?: never;
        /**
         * Use a sign-in link
         * @description The button on the sign-in page sends this request. If it succeeds, the response sets the session cookie and redirects.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/password/{TenantID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the hash function for signing in
         * @description The browser hashes the password with this function. The path contains the ID or name of the tenant. The response does not reveal whether the tenant exists.
         */
        get: operations["readPasswordFunction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the current session
         * @description If nobody is signed in, the response is 401 `signed_out`.
         */
        get: operations["readSession"];
        put?: never;
        /**
         * Sign in with a hashed password
         * @description For the console's sign-in page, which hashes the password first.
         */
        post: operations["signInWithPassword"];
        /**
         * Sign out
         * @description Ends this browser's session and clears its cookie.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/invitation/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read the invitation behind a link
         * @description Called by the link's page. Does not use up the link.
         */
        post: operations["readOpenInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation: set a password and sign in
         * @description Called by the link's page, which hashes the password first. The link cannot be used again, and the user's other sessions end.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Reset a password and sign in
         * @description Called by the link's page, which hashes the password first. All of the user's links stop working, and their other sessions end.
         */
        put: operations["resetPassword"];
        /**
         * Email a link to a user who forgot their password
         * @description The response is the same whether or not the user exists. Users get a link if they can sign in with a password and have an email address.
         */
        post: operations["forgetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/reset/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read the password reset behind a link
         * @description Called by the link's page. Does not use up the link.
         */
        post: operations["readOpenReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change your own password
         * @description For users who are signed in to a page of this service, which hashes both passwords. Their other sessions end.
         */
        put: operations["changeOwnPassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/passkey/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a challenge to add or use a passkey
         * @description For users who are signed in to a page of this service. The challenge can be used once, within five minutes, by the same session; a newer one replaces it.
         */
        post: operations["createPasskeyChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/passkey/use": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Use a passkey as the second step of signing in
         * @description The session gets a new cookie, and can then make other calls.
         */
        post: operations["usePasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your own passkeys
         * @description For administrators and the operator.
         */
        get: operations["listOwnPasskeys"];
        put?: never;
        /**
         * Add a passkey
         * @description Once an account has a passkey, each of its sessions must use one. The session that added it gets a new cookie.
         */
        post: operations["addPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/passkey/{PasskeyID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Rename one of your passkeys
         * @description The name only helps you to recognise it.
         */
        put: operations["renamePasskey"];
        post?: never;
        /**
         * Remove one of your passkeys
         * @description All of your other sessions end. If a passkey is required, the last one cannot be removed.
         */
        delete: operations["removePasskey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/{LoginID}/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a user's passkeys
         * @description Only administrators need passkeys. A user who is no longer an administrator may still have some.
         */
        get: operations["listUserPasskeys"];
        put?: never;
        post?: never;
        /**
         * Remove all passkeys of a user who has lost them
         * @description The user is signed out, and can then sign in with the password alone. If the tenant requires a passkey, the user has to add a new one. If somebody else may know the password, change it first.
         */
        delete: operations["removeUserPasskeys"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/catalogue/course": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the courses offered to the tenant
         * @description Includes published and retired courses, but no drafts.
         */
        get: operations["listOfferedCourses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/course": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all courses
         * @description Includes drafts and retired courses.
         */
        get: operations["listCourses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/course/{CourseID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a course with all its settings
         * @description Includes options that are not published.
         */
        get: operations["readCourse"];
        /**
         * Create or change a course
         * @description `Title` is required for a new course. Fields that you leave out keep their values.
         */
        put: operations["putCourse"];
        post?: never;
        /**
         * Delete a course
         * @description A course can be deleted only if nobody has ever been enrolled on it. Otherwise retire it with `"Status": "retired"`.
         */
        delete: operations["deleteCourse"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/course/{CourseID}/option/{DurationID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or change an enrolment option
         * @description All fields are optional. Fields that you leave out keep their values.
         */
        put: operations["putOption"];
        post?: never;
        /**
         * Delete an enrolment option
         * @description An option can be deleted only if nobody has ever been enrolled with it. Otherwise retire it.
         */
        delete: operations["deleteOption"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/course/{CourseID}/package": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the current release of a course
         * @description The release that new learners play, with its units and warnings.
         */
        get: operations["readCurrentRelease"];
        /**
         * Import a package as a new release of a course
         * @description The archive is checked and unpacked before the response is sent. SCORM 1.2, SCORM 2004, cmi5, xAPI (`tincan.xml`), AICC and plain web content are supported. A cmi5 course whose pages are all hosted elsewhere may be sent as its bare `cmi5.xml`. Learners who have already started stay on their release.
         */
        put: operations["importPackage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/course/{CourseID}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the releases of a course
         * @description Each imported package is a release.
         */
        get: operations["listReleases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/course/{CourseID}/release/{Release}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a release of a course
         * @description Includes the package's units and the warnings from its import.
         */
        get: operations["readRelease"];
        /**
         * Set a release as current
         * @description Switches to an earlier or later release. Learners who have already started stay on their release. With `Plan=true`, you first see how many learners this affects.
         */
        put: operations["putRelease"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tenants
         * @description Ordered by TenantID.
         */
        get: operations["listTenants"];
        put?: never;
        /**
         * Create a tenant
         * @description Repeating the request with the same fields is safe. Next, create a key for the tenant.
         */
        post: operations["createTenant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/{TenantID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a tenant
         * @description Includes its settings for passwords, return URLs and frames.
         */
        get: operations["readTenant"];
        /**
         * Change, suspend or resume a tenant
         * @description Suspending a tenant stops its keys, sessions and links within 5 seconds on all nodes. Nothing is lost.
         */
        put: operations["updateTenant"];
        post?: never;
        /**
         * Delete a suspended tenant with all of its data
         * @description The tenant must be suspended. Its data is deleted in the background and cannot be recovered, so use `Plan` first.
         */
        delete: operations["deleteTenant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/{TenantID}/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys of a tenant
         * @description Includes revoked and expired keys.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create a key for a tenant
         * @description The secret is shown only in this response. Without `Scopes` the key has all of a tenant's scopes.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/{TenantID}/key/{KeyID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key of a tenant
         * @description Access tokens issued for the key stop working as well.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/branding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the branding of your tenant
         * @description The colour and the logo. An operator names the tenant in the Tenant header.
         */
        get: operations["readBranding"];
        /**
         * Change the branding of your tenant
         * @description Sets the colour and the logo of the tenant's sign-in page, console, player and emails. Once either is set, the pages also show the tenant's Name, and use its Language by default. Pages change within 5 seconds on all nodes. The service keeps the colour as it is, and derives legible shades for light and dark pages.
         */
        put: operations["changeBranding"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/branding/{TenantID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a tenant's public branding
         * @description For sign-in pages. Needs no key. The response does not reveal whether a tenant without branding exists.
         */
        get: operations["readPageBranding"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/branding/{TenantID}/logo/{LogoName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a tenant's logo
         * @description The `LogoURL` of the branding. Needs no key.
         */
        get: operations["readLogo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the settings of your tenant
         * @description The language, and when learners are reminded. An operator names the tenant in the Tenant header.
         */
        get: operations["readSettings"];
        /**
         * Change the settings of your tenant
         * @description Fields that you leave out keep their values. The operator can change the same fields with `PUT /tenant/{TenantID}`. A reminder that you add is not sent to learners whose access ends sooner than that.
         */
        put: operations["changeSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/{TenantID}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export all data of a tenant
         * @description Use this before you delete a tenant, or when a client leaves. The response is streamed.
         */
        get: operations["exportTenant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events, in order and without gaps
         * @description Send the last `NextCursor` to get the events since then.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/report/completion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report completion by course and group
         * @description Counts enrolments by status and result, now or at the end of a past day. Changes appear within about ten seconds. If a tenant has many events, its first report only starts the counting, and reports return 503 until it has finished. `AsOf` counts users in the groups to which they belonged on that day; erased users count until their erasure. To list the enrolments behind a figure, send the same CourseID and GroupName with a Status to `GET /enrolment`.
         */
        get: operations["listCompletion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/report/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report overdue enrolments and access that ends soon
         * @description Counts uncompleted enrolments by course and group: overdue ones, and those whose access ends within 7 or 30 days. Changes appear within about ten seconds. `AsOf` returns the open and overdue ones at the end of a past day, but not those whose access was about to end. If a tenant has many events, its first report only starts the counting, and reports return 503 until it has finished. To list the enrolments behind a figure, send the same CourseID and GroupName to `GET /enrolment`, with `Status=expired`, or with `Status=open` and `ExpiresBefore`.
         */
        get: operations["listAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/report/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report activity by day, week or month
         * @description Counts what happened in each period, for all enrolments, a course, a group, or both. Periods without activity are included. Each event counts on the day on which it occurred, in the group that the user belonged to when it was counted. If many events are still uncounted, the response is 503 until the job has counted them.
         */
        get: operations["listActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get daily figures and what needs attention
         * @description Returns the figures on the console's start page.
         */
        get: operations["readOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/report/schedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List scheduled reports
         * @description Shows when each report runs next, and how its last run ended.
         */
        get: operations["listReportSchedules"];
        put?: never;
        /**
         * Schedule a report
         * @description Sends a report every day, week or month, by email to administrators or as the event `report.ready`. A tenant can have at most 20 scheduled reports.
         */
        post: operations["createReportSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/report/schedule/{ScheduleID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a scheduled report
         * @description Shows when it runs next, and how its last run ended.
         */
        get: operations["readReportSchedule"];
        /**
         * Change, pause or resume a scheduled report
         * @description Fields that you leave out keep their values. A report runs at most once in ten minutes, even if its times are changed.
         */
        put: operations["updateReportSchedule"];
        post?: never;
        /**
         * Delete a scheduled report
         * @description Emails that have not been sent yet are cancelled.
         */
        delete: operations["deleteReportSchedule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/report/schedule/{ScheduleID}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a scheduled report now
         * @description The report runs within about ten seconds, even if it is paused. Its next regular run does not change. After a successful run, it can be run again after ten minutes.
         */
        post: operations["runReportSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description Shows whether each endpoint is enabled, disabled or failing.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description Deliveries are signed according to Standard Webhooks. The secret is shown only in this response. With `Kind` `xapi`, it forwards statements to another LRS, which also requires the scope `xapi:read`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook/{WebhookID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook endpoint
         * @description The secret is not returned.
         */
        get: operations["readWebhook"];
        /**
         * Change, disable or enable a webhook endpoint
         * @description An endpoint that is enabled again receives the events that it missed.
         */
        put: operations["updateWebhook"];
        post?: never;
        /**
         * Delete a webhook endpoint and its deliveries
         * @description Events that have not been delivered yet will not be sent.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook/{WebhookID}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook endpoint
         * @description During the overlap, deliveries are signed with both secrets, so that you can switch to the new one without losing any.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook/{WebhookID}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Use it to test signature verification. The response shows the result. The event is `webhook.ping` and is not in the log. If the endpoint is an LRS, one statement is read from it instead, to test the URL and the credentials.
         */
        post: operations["pingWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook/{WebhookID}/delivery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of an endpoint
         * @description Newest first, with the request that was sent and the response that was received.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook/{WebhookID}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay events
         * @description Sends past events again, for example after an outage on your side. Send either `EventIDs`, or `From` and optionally `Until`.
         */
        post: operations["replayEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit entries
         * @description Shows who changed access, people, results and the catalogue. Entries form a hash chain, so any change to them is detected.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/xapi/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read statements
         * @description Newest first. The response has the header X-Experience-API-Consistent-Through: everything stored up to that time is included.
         */
        get: operations["getStatements"];
        /**
         * Store a statement with an ID that you choose
         * @description Repeating the request is safe: an identical statement that already exists is kept.
         */
        put: operations["putStatement"];
        /**
         * Store statements
         * @description Stores all of the statements or none. Identical statements that already exist are skipped, so repeating the request is safe if the statements have IDs.
         */
        post: operations["postStatements"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/xapi/activities/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the state of an activity, or list the IDs
         * @description If the query contains no ID, returns the list of IDs. The ETag identifies a document's version.
         */
        get: operations["getState"];
        /**
         * Store the state of an activity
         * @description To replace the version that you have read, send its ETag in If-Match.
         */
        put: operations["putState"];
        /**
         * Merge a JSON object into the state of an activity
         * @description Properties of the object replace those of the stored object. All other properties are kept. If there is no document yet, the object is stored.
         */
        post: operations["postState"];
        /**
         * Delete the state of an activity
         * @description Without a stateId, all states of the agent and activity are deleted. Repeating the request is safe.
         */
        delete: operations["deleteState"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/xapi/activities/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the profile of an activity, or list the IDs
         * @description If the query contains no ID, returns the list of IDs. The ETag identifies a document's version.
         */
        get: operations["getActivityProfile"];
        /**
         * Store the profile of an activity
         * @description To replace the version that you have read, send its ETag in If-Match.
         */
        put: operations["putActivityProfile"];
        /**
         * Merge a JSON object into the profile of an activity
         * @description Properties of the object replace those of the stored object. All other properties are kept. If there is no document yet, the object is stored.
         */
        post: operations["postActivityProfile"];
        /**
         * Delete the profile of an activity
         * @description Repeating the request is safe.
         */
        delete: operations["deleteActivityProfile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/xapi/agents/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the profile of an agent, or list the IDs
         * @description If the query contains no ID, returns the list of IDs. The ETag identifies a document's version.
         */
        get: operations["getAgentProfile"];
        /**
         * Store the profile of an agent
         * @description To replace the version that you have read, send its ETag in If-Match.
         */
        put: operations["putAgentProfile"];
        /**
         * Merge a JSON object into the profile of an agent
         * @description Properties of the object replace those of the stored object. All other properties are kept. If there is no document yet, the object is stored.
         */
        post: operations["postAgentProfile"];
        /**
         * Delete the profile of an agent
         * @description Repeating the request is safe.
         */
        delete: operations["deleteAgentProfile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/xapi/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what is known about an agent
         * @description The identifier, and the agent's names in recent statements.
         */
        get: operations["getAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/xapi/activities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what is known about an activity
         * @description The definitions in all statements, merged. An unknown activity has only its ID.
         */
        get: operations["getActivities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/xapi/about": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the supported versions of xAPI
         * @description Needs neither a key nor the version header.
         */
        get: operations["getAbout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrolment/{LoginID}/{EnrollID}/waive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Waive a unit of a cmi5 course
         * @description The learner need not take the unit: it counts as satisfied, without a score. The learner must have opened the course at least once. Waiving a unit again changes nothing.
         */
        post: operations["waiveUnit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/launch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start a course (the LaunchURL of an enrolment)
         * @description The link that the learner opens. It can be opened any number of times. Each time, the rules that `explain` reports are evaluated.
         */
        get: operations["launch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/course/{CourseID}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview any release of a course
         * @description For authors. Drafts can be previewed too. The link can be opened for 15 minutes, and nothing is recorded.
         */
        post: operations["previewCourse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/catalogue/course/{CourseID}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a course offered to the tenant
         * @description Like `previewCourse`, but for the current release of a published course.
         */
        post: operations["previewOfferedCourse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the clock of a test tenant
         * @description The tenant's enrolments, events and reports use this time.
         */
        get: operations["readClock"];
        put?: never;
        /**
         * Move the clock of a test tenant forward
         * @description The clock cannot be moved back. The response is sent once all nodes use the new time, the first 200 due enrolments have expired, the first 50 due reminders of each kind have been sent and the due reports have run. The others follow in the background.
         */
        post: operations["moveClock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test/play/{EnrollID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a robot play a course in a test tenant
         * @description The robot launches the course, reports the result of each unit as its content would, and leaves. A cmi5 AU does not repeat `completed` or `passed`, and does not report `failed` after `passed`. Once it is completed and passed, it is opened in the launch mode `Review` and reports nothing. If a course has more than 30 units, a call plays the 30 that were never or least recently played; repeat it to play the next ones. For cmi5, xAPI and AICC, wait a minute in between. If the service fails during a play, a retry with the same `Idempotency-Key` plays the course again.
         */
        post: operations["playCourse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/play/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the player
         * @description The page that a launch link redirects to. It opens a session and plays the course.
         */
        get: operations["openPlayer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open a preview (the PreviewURL)
         * @description Redirects to the player, like a launch link. Nothing is recorded.
         */
        get: operations["openPreview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/play/{token}/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a player session
         * @description Counts a launch and returns everything that the page needs to play: the tree of units, the data of each unit, and the session. The problem `launch_refused` also has `Page`, with a `Title`, a `Reason` and a `Link` for the learner, in the language from `Accept-Language`. `Link` is null, or has the `Text` and `URL` of a link to a review or to the course.
         */
        post: operations["openSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/play/{token}/commit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Save the run-time data of a unit
         * @description The receipt confirms that the commit is in the database. A page that is closing sends the commit as a beacon, with any Content-Type.
         */
        post: operations["commit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/play/{token}/alive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report that the page is still open
         * @description The player calls this operation once a minute to learn whether its session is still open.
         */
        get: operations["keepSessionAlive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/play/{token}/content/{Path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a file of the course
         * @description Supports the Range header. The case of the path is ignored if only one file matches.
         */
        get: operations["readCourseFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/play/{token}/logo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the tenant's logo
         * @description For the player page.
         */
        get: operations["readPlayerLogo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/play/{token}/au": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a session for a unit that reports directly to the service
         * @description For cmi5, xAPI and AICC units. The open session of the enrolment is abandoned.
         */
        post: operations["openUnit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/play/{token}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the current results
         * @description For units that report directly to the service and bypass the page.
         */
        get: operations["readSessionResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/play/{token}/fetch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the LRS token of an AU (the cmi5 fetch URL)
         * @description Returns the token only once. Requests from any origin are allowed.
         */
        post: operations["fetchToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/play/{token}/returned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return from a unit (the cmi5 returnURL)
         * @description The player replaces this page. If the unit is in its own window, the learner can close it.
         */
        get: operations["returnFromUnit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/play/{token}/hacp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report from AICC content (the HACP AICC_URL)
         * @description Accepts the CMI001 commands GetParam, PutParam, ExitAU, PutInteractions, PutObjectives, PutComments, PutPath and PutPerformance. A report counts once the response contains `error=0`. The response is `error=3` if the session has ended or the URL is unknown. Requests from any origin are allowed.
         */
        post: operations["reportByHacp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "user.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A user was created.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["user.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "user.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fields of a user changed.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["user.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "user.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A user was disabled.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["user.disabled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "user.erased": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The personal data of a user was erased and their access ended. It was also removed from their earlier events.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["user.erased"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invitation.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An administrator or application invited a user to set a password. Data contains no link: create one with POST /invitation/{LoginID}/{InvitationID}/link.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["invitation.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invitation.accepted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An invited user set a password and signed in.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["invitation.accepted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "mail.bounced": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The mail provider could not deliver an email to a user. After a `permanent` bounce, the service sends no more emails to this address. If MailID is null, another user's email to the same address bounced, or the email is not in the log.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["mail.bounced"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "enrolment.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A user was enrolled on a course.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["enrolment.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "enrolment.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fields of an enrolment changed, or it was reactivated.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["enrolment.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "enrolment.launched": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A learner started the course.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["enrolment.launched"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "enrolment.progressed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A learner made progress.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["enrolment.progressed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "enrolment.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A learner completed the course.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["enrolment.completed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "enrolment.passed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A learner passed the course.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["enrolment.passed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "enrolment.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A learner failed the course.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["enrolment.failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "enrolment.attempt_started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A launch started another attempt, because the enrolment has rules for attempts.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["enrolment.attempt_started"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "enrolment.attempt_finished": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An attempt was completed, passed or failed, in an enrolment with rules for attempts. Its result is not necessarily the one that counts.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["enrolment.attempt_finished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "enrolment.reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An administrator discarded all attempts, so that the learner can start over. Attempt is the number of the next one.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["enrolment.reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "enrolment.extended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An enrolment was extended by enrolling again. DurationID is the option whose duration was added.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["enrolment.extended"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "enrolment.ending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Access ends soon, and the course is not completed. Days is the number of days left, one of the tenant's ReminderDays. If MailID is null, Lectern does not email the learner.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["enrolment.ending"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "enrolment.expired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An enrolment expired.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["enrolment.expired"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "enrolment.withdrawn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An enrolment was withdrawn.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["enrolment.withdrawn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "enrolment.renewed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An enrolment was ended by renewal. NewEnrollID is the enrolment that replaced it, which has its own event.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["enrolment.renewed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "key.redeemed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An enrolment key was redeemed.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["key.redeemed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "course.released": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A course offered to the tenant has a new release, or an earlier release became current again.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["course.released"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "package.imported": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A package was imported for a course offered to the tenant, and became its current release.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["package.imported"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "report.ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A scheduled report with the delivery `webhook` is ready. Read it from URL with a key, as JSON or, with `Accept: text/csv`, as CSV. From is null if the report shows the figures at the end of To, or, for `access`, at the time when it is read.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["report.ready"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A webhook endpoint was disabled after failing for 72 hours.
         * @description The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).
         */
        post: operations["webhook.disabled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** TokenRequest */
        TokenRequest: {
            grant_type: string;
            client_id?: string;
            client_secret?: string;
            /** @description Scopes separated by spaces. Default: all scopes of the key. */
            scope?: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * AccessToken
         * @description RFC 6749 §5.1.
         */
        AccessToken: {
            access_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            /** @description Lifetime in seconds. */
            expires_in: number;
            scope: string;
        };
        /**
         * TokenError
         * @description RFC 6749 §5.2.
         */
        TokenError: {
            error: string;
            error_description: string;
        };
        /**
         * Problem
         * @description RFC 9457 problem details.
         */
        Problem: {
            type: string;
            title: string;
            status: number;
            /** @description What is wrong and what to do. */
            detail: string;
            /** @description A stable code for use in programs. */
            code: string;
            /** @description The field or parameter that caused the error. */
            param?: string;
            /** @description Up to 20 invalid fields or parameters; the first one is also in the problem itself. In a large body, only the first error is reported. */
            errors?: {
                param?: string;
                code: string;
                detail: string;
            }[];
            /** @description Identifies this request in the service's log. */
            request_id: string;
        };
        /** NewKey */
        NewKey: {
            /** @description What the key is for. */
            Name: string;
            /** @description The operations that the key may call. */
            Scopes?: ("users:read" | "users:write" | "users:admin" | "enrolments:read" | "enrolments:write" | "enrolments:launch" | "catalogue:read" | "catalogue:write" | "events:read" | "webhooks:write" | "xapi:read" | "xapi:write" | "audit:read" | "tenants:write")[];
            /**
             * Format: date-time
             * @description When the key expires; null means never.
             */
            ExpiresAt?: string | null;
        };
        /** KeyWithSecret */
        KeyWithSecret: {
            /** @description ID of the key; also the `client_id` in OAuth client credentials. */
            KeyID: string;
            /** @description The tenant that the key belongs to; null for an operator key. */
            TenantID: string | null;
            /** @description What the key is for. */
            Name: string;
            /** @description The operations that the key may call. */
            Scopes: ("users:read" | "users:write" | "users:admin" | "enrolments:read" | "enrolments:write" | "enrolments:launch" | "catalogue:read" | "catalogue:write" | "events:read" | "webhooks:write" | "xapi:read" | "xapi:write" | "audit:read" | "tenants:write")[];
            /** Format: date-time */
            CreatedAt: string;
            /**
             * @description Who created the key; null if it is older than the audit trail.
             * @enum {string|null}
             */
            CreatedBy: "administrator" | "operator" | null;
            /** @description The administrator who created the key; null if the operator did, or if the administrator has been erased. */
            CreatorLoginID: string | null;
            /**
             * Format: date-time
             * @description When the key expires; null means never.
             */
            ExpiresAt: string | null;
            /**
             * Format: date-time
             * @description When the key was last used, accurate to one minute.
             */
            LastUsedAt: string | null;
            /** Format: date-time */
            RevokedAt: string | null;
            /** @description Shown only once: the bearer token and the `client_secret` in OAuth client credentials. */
            Secret: string;
        };
        /** Key */
        Key: {
            /** @description ID of the key; also the `client_id` in OAuth client credentials. */
            KeyID: string;
            /** @description The tenant that the key belongs to; null for an operator key. */
            TenantID: string | null;
            /** @description What the key is for. */
            Name: string;
            /** @description The operations that the key may call. */
            Scopes: ("users:read" | "users:write" | "users:admin" | "enrolments:read" | "enrolments:write" | "enrolments:launch" | "catalogue:read" | "catalogue:write" | "events:read" | "webhooks:write" | "xapi:read" | "xapi:write" | "audit:read" | "tenants:write")[];
            /** Format: date-time */
            CreatedAt: string;
            /**
             * @description Who created the key; null if it is older than the audit trail.
             * @enum {string|null}
             */
            CreatedBy: "administrator" | "operator" | null;
            /** @description The administrator who created the key; null if the operator did, or if the administrator has been erased. */
            CreatorLoginID: string | null;
            /**
             * Format: date-time
             * @description When the key expires; null means never.
             */
            ExpiresAt: string | null;
            /**
             * Format: date-time
             * @description When the key was last used, accurate to one minute.
             */
            LastUsedAt: string | null;
            /** Format: date-time */
            RevokedAt: string | null;
        };
        /** NewUser */
        NewUser: {
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID: string;
            FirstName?: string | null;
            LastName?: string | null;
            /** @description A free-text label, such as a department or a customer company. */
            GroupName?: string | null;
            /** @description If the service sends email, changing this address requires users:admin and the scopes of the user's role, because password links are sent to it. */
            Email?: string | null;
            /** @description Hashed by the client with the function that it also uses for POST /user/check/{LoginID}. If it is omitted or null, a random value is set. Setting a password requires the scope users:admin. */
            Password?: string | null;
            /**
             * @description true makes the user an administrator.
             * @default false
             */
            IsAdmin?: boolean | null;
            /**
             * @description true if the user registered the account themselves.
             * @default false
             */
            Register?: boolean | null;
            /**
             * @description If false, the user can neither sign in nor start a course.
             * @default true
             */
            Enabled?: boolean | null;
            /**
             * @description What happens if the user exists. fail (default): 409 user_exists if a field that you sent differs. update: the fields that you sent are changed under the rules of PUT /user/{LoginID}; the others keep their values. A Password is set again with each call, which ends all sessions of the user.
             * @enum {string}
             */
            IfExists?: "fail" | "update";
            /**
             * @description What happens if the user does not exist. create (default): the user is created. fail: 404 user_not_found.
             * @enum {string}
             */
            IfMissing?: "create" | "fail";
        };
        /** User */
        User: {
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID: string;
            FirstName: string | null;
            LastName: string | null;
            /** @description A free-text label, such as a department or a customer company. */
            GroupName: string | null;
            /** @description If the service sends email, changing this address requires users:admin and the scopes of the user's role, because password links are sent to it. */
            Email: string | null;
            /**
             * @description true makes the user an administrator.
             * @default false
             */
            IsAdmin: boolean;
            /**
             * @description true if the user registered the account themselves.
             * @default false
             */
            Register: boolean;
            /**
             * @description If false, the user can neither sign in nor start a course.
             * @default true
             */
            Enabled: boolean;
            /**
             * Format: date-time
             * @description When a permanent bounce of the address was reported. The service sends no email to it until Email changes, or until you clear the bounce with DELETE /user/{LoginID}/bounce.
             */
            EmailBouncedAt: string | null;
            /** @description The reason, as reported. */
            EmailBounceReason: string | null;
            /** Format: date-time */
            CreatedAt: string;
            /** Format: date-time */
            UpdatedAt: string;
        };
        /** Group */
        Group: {
            GroupName: string;
        };
        /** UserChange */
        UserChange: {
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID?: string;
            FirstName?: string | null;
            LastName?: string | null;
            /** @description A free-text label, such as a department or a customer company. */
            GroupName?: string | null;
            /** @description If the service sends email, changing this address requires users:admin and the scopes of the user's role, because password links are sent to it. */
            Email?: string | null;
            /** @description Hashed by the client with the function that it also uses for POST /user/check/{LoginID}. If it is omitted or null, a random value is set. Setting a password requires the scope users:admin. */
            Password?: string | null;
            /**
             * @description true makes the user an administrator.
             * @default false
             */
            IsAdmin?: boolean | null;
            /**
             * @description true if the user registered the account themselves.
             * @default false
             */
            Register?: boolean | null;
            /**
             * @description If false, the user can neither sign in nor start a course.
             * @default true
             */
            Enabled?: boolean | null;
        };
        /**
         * Erasure
         * @description Which data about a person was erased, which was kept, and why.
         */
        Erasure: {
            /** @description Opaque ID; null in a plan. */
            ReceiptID: string | null;
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID: string;
            /** @description true if this is a plan of what would be erased, and nothing was changed. */
            Plan: boolean;
            /** Format: date-time */
            ErasedAt: string | null;
            Erased: {
                /** @description The kind of data; also its name in the export. */
                Data: string;
                /** @description Number of records. */
                Records: number;
                /** @description true if the plan stopped counting at 1000 records. A receipt counts all of them. */
                More: boolean;
                What: string;
            }[];
            Kept: {
                /** @description The kind of data; also its name in the export. */
                Data: string;
                /** @description Number of records. */
                Records: number;
                /** @description true if the plan stopped counting at 1000 records. A receipt counts all of them. */
                More: boolean;
                What: string;
                Why: string;
            }[];
        };
        /** CheckResult */
        CheckResult: {
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID: string;
            /** @description 1: enabled, or valid password. 0: disabled. -1: not found. -2: wrong password. */
            Result: number;
        };
        /** PasswordCheck */
        PasswordCheck: {
            /** @description Hashed by the client with the function that it also uses for POST /user/check/{LoginID}. If it is omitted or null, a random value is set. Setting a password requires the scope users:admin. */
            Password: string;
        };
        /** InvitationRequest */
        InvitationRequest: {
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID: string;
            /**
             * @description If false, the service does not email the link, so that you can send it yourself.
             * @default true
             */
            SendMail?: boolean;
        };
        /**
         * NewInvitation
         * @description An invitation with its first link.
         */
        NewInvitation: {
            /**
             * Format: uuid
             * @description Opaque.
             */
            InvitationID: string;
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID: string;
            /**
             * @description `revoked`: revoked with DELETE, or because the user got a new password or was disabled, or because the tenant was suspended. A newer invitation replaces this one.
             * @enum {string}
             */
            Status: "pending" | "accepted" | "expired" | "revoked";
            /** Format: date-time */
            CreatedAt: string;
            /**
             * Format: date-time
             * @description Seven days after it was created.
             */
            ExpiresAt: string;
            /**
             * Format: date-time
             * @description When the user set a password with it.
             */
            AcceptedAt: string | null;
            /** @description Send it to the user. It can be used once. It is not stored and cannot be read again. */
            InvitationURL: string;
            /**
             * Format: uuid
             * @description The email with the link, listed by `GET /mail`. null if the service sends no email, `SendMail` is false, or the user's `Email` is not an email address or has bounced.
             */
            MailID: string | null;
        };
        /**
         * Invitation
         * @description Lets a user set a password on a page of this service and signs them in.
         */
        Invitation: {
            /**
             * Format: uuid
             * @description Opaque.
             */
            InvitationID: string;
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID: string;
            /**
             * @description `revoked`: revoked with DELETE, or because the user got a new password or was disabled, or because the tenant was suspended. A newer invitation replaces this one.
             * @enum {string}
             */
            Status: "pending" | "accepted" | "expired" | "revoked";
            /** Format: date-time */
            CreatedAt: string;
            /**
             * Format: date-time
             * @description Seven days after it was created.
             */
            ExpiresAt: string;
            /**
             * Format: date-time
             * @description When the user set a password with it.
             */
            AcceptedAt: string | null;
        };
        /** InvitationLink */
        InvitationLink: {
            /** @description Send it to the user. It can be used once. It is not stored and cannot be read again. */
            InvitationURL: string;
            /**
             * Format: date-time
             * @description Seven days after it was created.
             */
            ExpiresAt: string;
        };
        /**
         * Mail
         * @description An email to a user. It is kept for 90 days, without its text.
         */
        Mail: {
            /**
             * Format: uuid
             * @description Opaque.
             */
            MailID: string;
            /** @description The recipient. */
            LoginID: string;
            /** @enum {string} */
            Kind: "invitation" | "password_reset" | "access_ending" | "report" | "password_changed" | "passkey_added" | "passkey_removed";
            /** @description The user's `Email` when it was queued. */
            Address: string;
            /**
             * @description `queued`: it will be sent, or tried again. `sent`: the mail server accepted it. `failed`: the mail server rejected it or was unavailable for 72 hours, or the link expired. `cancelled`: its link was used, replaced or revoked before it was sent, its enrolment was completed, ended or extended, its report was deleted, or its address bounced. `bounced`: the mail provider reported afterwards that it could not deliver the email.
             * @enum {string}
             */
            Status: "queued" | "sent" | "failed" | "cancelled" | "bounced";
            Attempts: number;
            /** @description The mail server's last response; null if there was none. */
            Answer: string | null;
            /** Format: date-time */
            CreatedAt: string;
            /**
             * Format: date-time
             * @description The last attempt.
             */
            AttemptedAt: string | null;
            /**
             * Format: date-time
             * @description When a queued email is sent or retried next.
             */
            NextAttemptAt: string | null;
            /**
             * Format: date-time
             * @description When the bounce was reported.
             */
            BouncedAt: string | null;
            /**
             * @description `permanent`: no further email is sent to this address.
             * @enum {string|null}
             */
            BounceKind: "permanent" | "temporary" | null;
            /** @description The reason, as reported. */
            BounceReason: string | null;
        };
        /** BounceReport */
        BounceReport: {
            /**
             * @description The Message-ID header of the email, with or without angle brackets, or its `MailID`. An operator who sends it needs no `Tenant` header.
             * @example <01994a5e-7c00-7000-8000-000000000008@lectern.example>
             */
            MessageID?: string;
            /**
             * @description The address that bounced, case-insensitive. If there is no `MessageID`, or no email with it, the bounce is recorded for the newest email to this address.
             * @example ada@example.com
             */
            EmailAddress?: string;
            /**
             * @description `permanent`: a hard bounce, for example because the address does not exist. `temporary`: a soft bounce, for example because the mailbox is full.
             * @enum {string}
             */
            Kind: "permanent" | "temporary";
            /**
             * @description Such as the diagnostic code. The first 500 characters are stored.
             * @example 550 5.1.1 The email account does not exist
             */
            Reason?: string | null;
        };
        /** RecordedBounce */
        RecordedBounce: {
            /**
             * Format: uuid
             * @description The email that bounced; null if the service has no email to this address.
             */
            MailID: string | null;
            /** @description The number of users with this address, counted up to 200. They get no more emails from the service. 0 after a temporary bounce. */
            Users: number;
        };
        /** EnrolRequest */
        EnrolRequest: {
            /**
             * @description What happens to a current enrolment. return (default): it is returned. extend: the option's duration is added to the later of now and its ExpiresAt; an expired enrolment is reactivated, and Reference and Metadata are replaced if sent. renew: it is ended and a new one is created. fail: 409 already_enrolled. With extend and renew, send an Idempotency-Key so that a retry has no further effect.
             * @enum {string}
             */
            IfEnrolled?: "return" | "extend" | "renew" | "fail";
            /**
             * Format: date-time
             * @description When access ends, instead of after the option's duration; must be in the future. With IfEnrolled set to extend, access is extended until then, unless it already ends later. If its duration has not started yet, this time replaces the duration. A current enrolment that is returned keeps its own end.
             */
            ExpiresAt?: string;
            /** @description The client's own reference, such as an order number. */
            Reference?: string | null;
            /** @description Up to 20 key–value pairs defined by the client, with string values. */
            Metadata?: {
                [key: string]: string;
            };
        };
        /** Enrolment */
        Enrolment: {
            /** @description Opaque ID of the enrolment. */
            EnrollID: string;
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID: string;
            /** @description ID of the course. Chosen by the operator. */
            CourseID: string;
            /** @description ID of the enrolment option, unique within its course. Chosen by the operator. */
            DurationID: string;
            CourseTitle: string;
            /** @enum {string} */
            Status: "enrolled" | "in_progress" | "completed" | "expired" | "withdrawn";
            /** @enum {string} */
            Completion: "unknown" | "incomplete" | "completed";
            /** @enum {string} */
            Success: "unknown" | "passed" | "failed";
            /** @description 0–100; null if the course has reported none. */
            Score: number | null;
            /** @description The override that replaces the recorded result; null if there is none. */
            Override: {
                /** @enum {string} */
                Completion?: "unknown" | "incomplete" | "completed";
                /** @enum {string} */
                Success?: "unknown" | "passed" | "failed";
                /** @description 0–100; null if the course has reported none. */
                Score?: number | null;
                /** @description Why the result was overridden. Required. */
                Reason: string;
                /**
                 * Format: date-time
                 * @description When the result was overridden.
                 */
                At: string;
            } | null;
            /** @description The result that the course recorded, even if an override replaces it. */
            Recorded: {
                /** @enum {string} */
                Completion: "unknown" | "incomplete" | "completed";
                /** @enum {string} */
                Success: "unknown" | "passed" | "failed";
                /** @description 0–100; null if the course has reported none. */
                Score: number | null;
            };
            /** @description 0–100. */
            Progress: number;
            /** @description Time spent in the course. */
            TotalSeconds: number;
            /** Format: date-time */
            EnrolledAt: string;
            /** Format: date-time */
            StartedAt: string | null;
            /** Format: date-time */
            LastAccessedAt: string | null;
            /** Format: date-time */
            CompletedAt: string | null;
            /**
             * Format: date-time
             * @description When access ends; null means never.
             */
            ExpiresAt: string | null;
            Launches: number;
            /**
             * @description The rules for attempts; null means a single attempt, which stays open.
             * @example {
             *       "Limit": 3,
             *       "CoolDown": "P1D",
             *       "Counts": "best",
             *       "After": "failed",
             *       "Review": false
             *     }
             */
            Attempts: {
                /** @description Maximum number of attempts; null (default) means no limit other than 1,000. Attempts before a reset do not count. */
                Limit: number | null;
                /**
                 * @description Minimum time between the end of an attempt and the start of the next one, as an ISO 8601 duration in days, hours and minutes, such as P1D or PT30M; null (default) means no waiting time.
                 * @example P1D
                 */
                CoolDown: string | null;
                /**
                 * @description Which finished attempt decides the result of the enrolment. best (default): the passed attempt or, if none was passed, the attempt with the highest score.
                 * @enum {string}
                 */
                Counts: "best" | "last" | "first";
                /**
                 * @description When a launch starts a new attempt. failed (default): if the learner failed the latest attempt and the enrolment is not passed; other launches reopen the latest attempt. finished: whenever the latest attempt is finished, even if it was passed.
                 * @enum {string}
                 */
                After: "failed" | "finished";
                /** @description Whether the learner can open the latest attempt for review while no new attempt can start. SCORM content runs in review mode (`cmi.mode` or `cmi.core.lesson_mode` is `review`), and nothing is recorded. false (default): the course stays closed. */
                Review: boolean;
            } | null;
            /** @description Number of the current attempt, counted from 1. */
            Attempt: number;
            /** @description Attempts started since the last reset, including the current one. */
            AttemptsUsed: number;
            /** @description The client's own reference, such as an order number. */
            Reference: string | null;
            /** @description Up to 20 key–value pairs defined by the client, with string values. */
            Metadata: {
                [key: string]: string;
            };
            /** @description Starts the course for the user. Append &returnURL= and a URL to bring the learner back there. Null for a key without the scope enrolments:launch. */
            LaunchURL: string | null;
        };
        /** EnrolOption */
        EnrolOption: {
            /** @description ID of the enrolment option, unique within its course. Chosen by the operator. */
            DurationID: string;
            Name: string;
            /**
             * @description ISO 8601 duration, such as P30D; null means unlimited.
             * @example P30D
             */
            Duration: string | null;
            /**
             * @description When the duration starts.
             * @enum {string}
             */
            StartsOn: "enrolment" | "launch";
            /** @description Maximum number of enrolments with this option, across all tenants to which the course is offered; null means unlimited. A withdrawal within SEAT_GRACE_DAYS (default 14) days of enrolling frees the seat. */
            Seats: number | null;
            /** @description GroupNames of the users to whom the option is offered; null means all users. Tenants see only the groups of their own users. */
            Groups: string[] | null;
            /** @description For display in a shop. Lectern does not process payments. */
            Price: {
                /**
                 * @description A decimal number as a string.
                 * @example 49.00
                 */
                Amount: string;
                /**
                 * @description ISO 4217 currency code.
                 * @example EUR
                 */
                Currency: string;
            } | null;
            /**
             * @description A draft is visible only to the operator. A retired course accepts no new enrolments; current learners can continue.
             * @enum {string}
             */
            Status: "draft" | "published" | "retired";
            /**
             * @description The rules for attempts; null means a single attempt, which stays open.
             * @example {
             *       "Limit": 3,
             *       "CoolDown": "P1D",
             *       "Counts": "best",
             *       "After": "failed",
             *       "Review": false
             *     }
             */
            Attempts: {
                /** @description Maximum number of attempts; null (default) means no limit other than 1,000. Attempts before a reset do not count. */
                Limit: number | null;
                /**
                 * @description Minimum time between the end of an attempt and the start of the next one, as an ISO 8601 duration in days, hours and minutes, such as P1D or PT30M; null (default) means no waiting time.
                 * @example P1D
                 */
                CoolDown: string | null;
                /**
                 * @description Which finished attempt decides the result of the enrolment. best (default): the passed attempt or, if none was passed, the attempt with the highest score.
                 * @enum {string}
                 */
                Counts: "best" | "last" | "first";
                /**
                 * @description When a launch starts a new attempt. failed (default): if the learner failed the latest attempt and the enrolment is not passed; other launches reopen the latest attempt. finished: whenever the latest attempt is finished, even if it was passed.
                 * @enum {string}
                 */
                After: "failed" | "finished";
                /** @description Whether the learner can open the latest attempt for review while no new attempt can start. SCORM content runs in review mode (`cmi.mode` or `cmi.core.lesson_mode` is `review`), and nothing is recorded. false (default): the course stays closed. */
                Review: boolean;
            } | null;
            /** @description Number of free seats; null means unlimited. */
            SeatsLeft: number | null;
        };
        /** Offer */
        Offer: {
            /** @description ID of the course. Chosen by the operator. */
            CourseID: string;
            Title: string;
            Description: string | null;
            /**
             * @description BCP 47 language tag.
             * @example en-GB
             */
            Language: string | null;
            /** @description URL of an image for shop and portal pages, and for My courses in the console, which requires HTTPS. */
            ImageURL: string | null;
            /**
             * @description The standard of the content; null if the course has no content yet.
             * @enum {string|null}
             */
            Standard: "scorm12" | "scorm2004-2nd" | "scorm2004-3rd" | "scorm2004-4th" | "cmi5" | "xapi" | "aicc" | "web" | null;
            /**
             * @description A draft is visible only to the operator. A retired course accepts no new enrolments; current learners can continue.
             * @enum {string}
             */
            Status: "draft" | "published" | "retired";
            /** @description Number of the current release. */
            Release: number | null;
            AvailableEnrolOptions: components["schemas"]["EnrolOption"][];
            /** @description Opaque ID of the enrolment. */
            EnrollID: string | null;
        };
        /** EnrolmentChange */
        EnrolmentChange: {
            /**
             * Format: date-time
             * @description Changes when access ends; null means never.
             */
            ExpiresAt?: string | null;
            /** @description true ends access, false restores it. */
            Withdrawn?: boolean;
            /** @description The client's own reference, such as an order number. */
            Reference?: string | null;
            /** @description Up to 20 key–value pairs defined by the client, with string values. */
            Metadata?: {
                [key: string]: string;
            };
            /**
             * @description Overrides the result: the values sent here replace those that the course has recorded or will record. null removes the override.
             * @example {
             *       "Success": "passed",
             *       "Reason": "Passed the practical exam."
             *     }
             */
            Override?: {
                /** @enum {string} */
                Completion?: "unknown" | "incomplete" | "completed";
                /** @enum {string} */
                Success?: "unknown" | "passed" | "failed";
                /** @description 0–100; null if the course has reported none. */
                Score?: number | null;
                /** @description Why the result was overridden. Required. */
                Reason: string;
            } | null;
            /**
             * @description Replaces the rules for attempts; fields that you leave out get their default values. null means a single attempt, which stays open.
             * @example {
             *       "Limit": 3,
             *       "CoolDown": "P1D",
             *       "Counts": "best",
             *       "After": "failed",
             *       "Review": false
             *     }
             */
            Attempts?: {
                /** @description Maximum number of attempts; null (default) means no limit other than 1,000. Attempts before a reset do not count. */
                Limit?: number | null;
                /**
                 * @description Minimum time between the end of an attempt and the start of the next one, as an ISO 8601 duration in days, hours and minutes, such as P1D or PT30M; null (default) means no waiting time.
                 * @example P1D
                 */
                CoolDown?: string | null;
                /**
                 * @description Which finished attempt decides the result of the enrolment. best (default): the passed attempt or, if none was passed, the attempt with the highest score.
                 * @enum {string}
                 */
                Counts?: "best" | "last" | "first";
                /**
                 * @description When a launch starts a new attempt. failed (default): if the learner failed the latest attempt and the enrolment is not passed; other launches reopen the latest attempt. finished: whenever the latest attempt is finished, even if it was passed.
                 * @enum {string}
                 */
                After?: "failed" | "finished";
                /** @description Whether the learner can open the latest attempt for review while no new attempt can start. SCORM content runs in review mode (`cmi.mode` or `cmi.core.lesson_mode` is `review`), and nothing is recorded. false (default): the course stays closed. */
                Review?: boolean;
            } | null;
            /** @description If true, the enrolment is only changed if it was created within the last hour and has not been launched or changed since. Otherwise, the response is 409 touched, and its reason is older, changed or used. */
            IfUntouched?: boolean;
        };
        /** Explanation */
        Explanation: {
            /** @description Opaque ID of the enrolment. */
            EnrollID: string;
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID: string;
            /** @description ID of the course. Chosen by the operator. */
            CourseID: string;
            /** @description true if every rule passes. A click on the launch link is checked against the same rules. */
            MayLaunch: boolean;
            /**
             * Format: date-time
             * @description When a cool-down allows the next attempt; null if the learner need not wait for one.
             */
            NextAttemptAt: string | null;
            /** @description The rules in the order of evaluation. */
            Rules: {
                /** @enum {string} */
                Rule: "user_enabled" | "not_withdrawn" | "not_expired" | "course_available" | "course_playable" | "attempts_left" | "cool_down_over";
                Passed: boolean;
                /** @description Explains the outcome of the rule and, if it failed, what to do. */
                Detail: string;
            }[];
            /** @description The units that a rule or limit of the course keeps closed at the next launch, up to 100, in the order of the course. */
            Unavailable: {
                UnitID: string;
                Title: string;
                /** @description A description of the rule or limit, such as: Extinguishers opens after Getting out is passed. */
                Detail: string;
            }[];
            /** @description The results that the course's page claimed but its data does not support, newest first, up to 10. They do not count. */
            Claims: {
                /** Format: date-time */
                At: string;
                /** @description Number of the launch. */
                Launch: number | null;
                /** @description Number of the commit. */
                Commit: number;
                UnitID: string;
                /** @enum {string} */
                Completion: "unknown" | "incomplete" | "completed";
                /** @enum {string} */
                Success: "unknown" | "passed" | "failed";
                /** @description 0–100; null if the course has reported none. */
                Score: number | null;
                /** @description 0–100. */
                Progress: number | null;
            }[];
            /** @description Commits, statements and other reports that were refused, newest first, up to 10. They do not count. */
            Refused: {
                /** Format: date-time */
                At: string;
                /** @description Number of the launch. */
                Launch: number | null;
                /** @description Number of the commit; null for refused calls of cmi5 and xAPI units. */
                Commit: number | null;
                UnitID: string;
                /**
                 * @description The error code.
                 * @example cmi5_violation
                 */
                Code: string;
                /** @description The reason that the unit received. */
                Detail: string | null;
            }[];
            /** @description cmi5: what satisfies each unit, and what it has reported. Empty for other standards. */
            Units: {
                UnitID: string;
                Title: string;
                /**
                 * @description The criterion that satisfies the unit.
                 * @enum {string}
                 */
                MoveOn: "NotApplicable" | "Passed" | "Completed" | "CompletedAndPassed" | "CompletedOrPassed";
                Satisfied: boolean;
                /** @description The timestamp of the unit's statement. */
                CompletedAt: string | null;
                /** @description The timestamp of the unit's statement. */
                PassedAt: string | null;
                /** @description The timestamp of the unit's statement. */
                FailedAt: string | null;
                /** @description When an administrator waived the unit. */
                WaivedAt: string | null;
                /** @description 0–1, as the unit reported it. */
                Score: number | null;
            }[];
        };
        /** TimelineEntry */
        TimelineEntry: {
            /** Format: date-time */
            At: string;
            /**
             * @description `unit`: a session of a cmi5, xAPI or AICC unit, or a waiver.
             * @enum {string}
             */
            Kind: "launch" | "unit" | "commit" | "event";
            /** @description The type of the event, if the entry is an event. */
            Type: string | null;
            /** @description Number of the launch; null for a commit whose launch is no longer on record, for example after restoring a backup. */
            Launch: number | null;
            /** @description Number of the commit; null for refused calls of cmi5 and xAPI units. */
            Commit: number | null;
            UnitID: string | null;
            Data: {
                [key: string]: unknown;
            };
            Warnings: string[];
            /** @description The error code with which a commit, or a call of a cmi5 or xAPI unit, was rejected. Its result in `Data` does not count; for calls, `Data` has the call and its verbs, and `Warnings` the reason. Null for all other entries. */
            Refused: string | null;
            /** @description The result that the commit's page claimed for the course but its data does not support. It does not count. Null for all other entries. */
            Claimed: {
                /** @enum {string} */
                Completion: "unknown" | "incomplete" | "completed";
                /** @enum {string} */
                Success: "unknown" | "passed" | "failed";
                /** @description 0–100; null if the course has reported none. */
                Score: number | null;
                /** @description 0–100. */
                Progress: number | null;
            } | null;
            /**
             * @description Who changed the enrolment manually, as in GET /audit; null if the change was not manual.
             * @enum {string|null}
             */
            Actor: "key" | "administrator" | "learner" | "operator_key" | "operator" | "command_line" | "service" | "anyone" | null;
            /** @description LoginID of the administrator or name of the key; not shown to learners. */
            ActorName: string | null;
        };
        /** UnitActivity */
        UnitActivity: {
            UnitID: string;
            /** @description null if the release no longer has the unit. */
            Title: string | null;
            /** @description Attempts on the unit; null if its standard does not count them. */
            Attempts: number | null;
            /** @description Number of the launch that stored the data. */
            Launch: number;
            /**
             * Format: date-time
             * @description When a commit last reported on this unit.
             */
            UpdatedAt: string;
            /** @enum {string} */
            Completion: "unknown" | "incomplete" | "completed";
            /** @enum {string} */
            Success: "unknown" | "passed" | "failed";
            /** @description 0–100. */
            Score: number | null;
            /** @description 0–100. */
            Progress: number;
            TotalSeconds: number;
            /** @description The objectives, as the content last recorded them in the attempt. */
            Objectives: {
                /** @example exits */
                ObjectiveID: string;
                /**
                 * @description Description of the objective, if the content sent one.
                 * @example Find the exits
                 */
                Description: string | null;
                /** @enum {string} */
                Completion: "unknown" | "incomplete" | "completed";
                /** @enum {string} */
                Success: "unknown" | "passed" | "failed";
                /** @description 0–100. */
                Score: number | null;
            }[];
            /** @description The interactions, as the content last recorded them in the attempt. */
            Interactions: {
                /**
                 * @description Position in the unit, counted from 0.
                 * @example 0
                 */
                Number: number;
                /**
                 * @description ID that the content gives the question.
                 * @example question-1
                 */
                InteractionID: string;
                /**
                 * @description The kind of question, such as choice or true-false.
                 * @example choice
                 */
                Type: string | null;
                /**
                 * @description The question, if the content sent it (SCORM 2004).
                 * @example What do you do first?
                 */
                Description: string | null;
                /**
                 * @description When the question was answered, as recorded by the content. In SCORM 1.2, this is only a time of day.
                 * @example 2026-01-31T09:00:00Z
                 */
                Time: string | null;
                /**
                 * @description The learner's answer, in the format for this type of question.
                 * @example a
                 */
                Response: string | null;
                /**
                 * @description The correct answers, in the same format.
                 * @example [
                 *       "b"
                 *     ]
                 */
                CorrectResponses: string[];
                /**
                 * @description correct, incorrect, neutral, unanticipated, or a number.
                 * @example incorrect
                 */
                Result: string | null;
                /** @description Relative weight of the question. */
                Weighting: number | null;
                /**
                 * @description How long the learner took to answer.
                 * @example 12.5
                 */
                LatencySeconds: number | null;
                /**
                 * @description The objectives that the question belongs to.
                 * @example [
                 *       "exits"
                 *     ]
                 */
                ObjectiveIDs: string[];
            }[];
        };
        /** CourseInteraction */
        CourseInteraction: {
            /** @description Opaque ID of the enrolment. */
            EnrollID: string;
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID: string;
            /**
             * @description Number of the attempt.
             * @example 1
             */
            Attempt: number;
            UnitID: string;
            /** @description null if the release no longer has the unit. */
            UnitTitle: string | null;
            /**
             * @description Position in the unit, counted from 0.
             * @example 0
             */
            Number: number;
            /**
             * @description ID that the content gives the question.
             * @example question-1
             */
            InteractionID: string;
            /**
             * @description The kind of question, such as choice or true-false.
             * @example choice
             */
            Type: string | null;
            /**
             * @description The question, if the content sent it (SCORM 2004).
             * @example What do you do first?
             */
            Description: string | null;
            /**
             * @description When the question was answered, as recorded by the content. In SCORM 1.2, this is only a time of day.
             * @example 2026-01-31T09:00:00Z
             */
            Time: string | null;
            /**
             * @description The learner's answer, in the format for this type of question.
             * @example a
             */
            Response: string | null;
            /**
             * @description The correct answers, in the same format.
             * @example [
             *       "b"
             *     ]
             */
            CorrectResponses: string[];
            /**
             * @description correct, incorrect, neutral, unanticipated, or a number.
             * @example incorrect
             */
            Result: string | null;
            /** @description Relative weight of the question. */
            Weighting: number | null;
            /**
             * @description How long the learner took to answer.
             * @example 12.5
             */
            LatencySeconds: number | null;
            /**
             * @description The objectives that the question belongs to.
             * @example [
             *       "exits"
             *     ]
             */
            ObjectiveIDs: string[];
        };
        /** CourseQuestion */
        CourseQuestion: {
            UnitID: string;
            /** @description null if the release no longer has the unit. */
            UnitTitle: string | null;
            /**
             * @description ID that the content gives the question.
             * @example question-1
             */
            InteractionID: string;
            /**
             * @description The kind of question, such as choice or true-false.
             * @example choice
             */
            Type: string | null;
            /**
             * @description The question, if the content sent it (SCORM 2004).
             * @example What do you do first?
             */
            Description: string | null;
            /**
             * @description The correct answers, in the same format.
             * @example [
             *       "b"
             *     ]
             */
            CorrectResponses: string[];
            /**
             * @description Attempts in which the question was answered.
             * @example 40
             */
            Answers: number;
            /**
             * @description Number of correct answers.
             * @example 30
             */
            Correct: number;
            /**
             * @description Number of incorrect answers. The results of the other answers are neutral, unanticipated or numeric.
             * @example 10
             */
            Incorrect: number;
            /**
             * @description Number of answers with a recorded latency.
             * @example 40
             */
            Timed: number;
            /**
             * @description Average time that the learners took for these answers.
             * @example 12.5
             */
            LatencySeconds: number | null;
            /** @description The ten most frequent answers, most frequent first. */
            Responses: {
                /**
                 * @description The answer, in the format for this type of question.
                 * @example a
                 */
                Response: string;
                /**
                 * @description How often this answer was given.
                 * @example 30
                 */
                Answers: number;
            }[];
        };
        /** CourseQuestions */
        CourseQuestions: {
            Questions: components["schemas"]["CourseQuestion"][];
            /** @description Send this as Cursor to continue; null if all answers have been counted. */
            NextCursor: string | null;
        };
        /** Attempt */
        Attempt: {
            /** @description Counted from 1. A reset does not restart the count. */
            Attempt: number;
            /**
             * Format: date-time
             * @description When the attempt was first launched; null if it has not been launched yet.
             */
            StartedAt: string | null;
            /**
             * Format: date-time
             * @description When the attempt was completed, passed or failed.
             */
            FinishedAt: string | null;
            /**
             * Format: date-time
             * @description When the next attempt replaced this one; null for the current attempt.
             */
            EndedAt: string | null;
            /**
             * @description What started the next attempt.
             * @enum {string|null}
             */
            EndedBy: "launch" | "reset" | null;
            /** @description Why the attempt was reset. */
            Reason: string | null;
            /** @description true if the attempt was reset and can no longer count. */
            Discarded: boolean;
            /** @enum {string} */
            Completion: "unknown" | "incomplete" | "completed";
            /** @enum {string} */
            Success: "unknown" | "passed" | "failed";
            /** @description 0–100. */
            Score: number | null;
            /** @description 0–100. */
            Progress: number;
            TotalSeconds: number;
            Launches: number;
        };
        /** ResetRequest */
        ResetRequest: {
            /** @description Why the learner starts over. Required. */
            Reason: string;
        };
        /** NewEnrolmentKeys */
        NewEnrolmentKeys: {
            /** @description The courses on which the key enrols the learner. */
            CourseIDs: string[];
            /** @description The enrolment option for each course, in the order of CourseIDs. */
            DurationIDs: string[];
            /** @default 1 */
            Quantity?: number;
            /** @description Only this user can redeem the keys. */
            LoginID?: string | null;
            /** @description A user without a GroupName gets this GroupName when redeeming the key; a user with another GroupName cannot redeem the key. null means any group. */
            Group?: string | null;
            /** @description Number of the purchase order for the keys. */
            PurchaseOrder?: string | null;
            /**
             * Format: date-time
             * @description When the keys become valid. Default: now.
             */
            ValidFrom?: string | null;
            /**
             * Format: date-time
             * @description When the keys expire. Default: one year after ValidFrom.
             */
            ValidUntil?: string | null;
        };
        /** IssuedEnrolmentKeys */
        IssuedEnrolmentKeys: {
            Items: {
                /** @description ID of the key, which does not reveal the key itself. Opaque. */
                KeyID: string;
                /** @description The first characters of the key, so that people can recognise it. */
                KeyStart: string;
                /** @description The courses on which the key enrols the learner. */
                CourseIDs: string[];
                /** @description The enrolment option for each course, in the order of CourseIDs. */
                DurationIDs: string[];
                /**
                 * @description scheduled means that the key is not valid before ValidFrom.
                 * @enum {string}
                 */
                Status: "available" | "scheduled" | "redeemed" | "expired" | "revoked";
                /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
                LoginID: string | null;
                /** @description A user without a GroupName gets this GroupName when redeeming the key; a user with another GroupName cannot redeem the key. null means any group. */
                Group: string | null;
                /** @description Number of the purchase order for the keys. */
                PurchaseOrder: string | null;
                /** Format: date-time */
                ValidFrom: string;
                /** Format: date-time */
                ValidUntil: string;
                /** Format: date-time */
                CreatedAt: string;
                /** Format: date-time */
                RevokedAt: string | null;
                /** Format: date-time */
                RedeemedAt: string | null;
                /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
                RedeemedBy: string | null;
                /** @description The enrolments created when the key was redeemed. */
                EnrollIDs: string[];
                /** @description Shown only in this response. Give it to the learner. */
                Key: string;
            }[];
        };
        /** EnrolmentKey */
        EnrolmentKey: {
            /** @description ID of the key, which does not reveal the key itself. Opaque. */
            KeyID: string;
            /** @description The first characters of the key, so that people can recognise it. */
            KeyStart: string;
            /** @description The courses on which the key enrols the learner. */
            CourseIDs: string[];
            /** @description The enrolment option for each course, in the order of CourseIDs. */
            DurationIDs: string[];
            /**
             * @description scheduled means that the key is not valid before ValidFrom.
             * @enum {string}
             */
            Status: "available" | "scheduled" | "redeemed" | "expired" | "revoked";
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID: string | null;
            /** @description A user without a GroupName gets this GroupName when redeeming the key; a user with another GroupName cannot redeem the key. null means any group. */
            Group: string | null;
            /** @description Number of the purchase order for the keys. */
            PurchaseOrder: string | null;
            /** Format: date-time */
            ValidFrom: string;
            /** Format: date-time */
            ValidUntil: string;
            /** Format: date-time */
            CreatedAt: string;
            /** Format: date-time */
            RevokedAt: string | null;
            /** Format: date-time */
            RedeemedAt: string | null;
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            RedeemedBy: string | null;
            /** @description The enrolments created when the key was redeemed. */
            EnrollIDs: string[];
        };
        /** KeyRedemption */
        KeyRedemption: {
            /**
             * @description What happens to a current enrolment. return (default): it is returned. extend: the option's duration is added to the later of now and its ExpiresAt; an expired enrolment is reactivated, and Reference and Metadata are replaced if sent. renew: it is ended and a new one is created. fail: 409 already_enrolled. With extend and renew, send an Idempotency-Key so that a retry has no further effect.
             * @enum {string}
             */
            IfEnrolled?: "return" | "extend" | "renew" | "fail";
        };
        /** CheckedEnrolmentKey */
        CheckedEnrolmentKey: {
            /** @description ID of the key, which does not reveal the key itself. Opaque. */
            KeyID: string;
            /**
             * Format: date-time
             * @description When this user redeemed the key; null if it has not been redeemed.
             */
            RedeemedAt: string | null;
            /** @description In the order of CourseIDs. */
            Courses: {
                /** @description ID of the course. Chosen by the operator. */
                CourseID: string;
                CourseTitle: string;
                /** @description ID of the enrolment option, unique within its course. Chosen by the operator. */
                DurationID: string;
                /** @description Length of access, such as P30D; null means unlimited. */
                Duration: string | null;
                /**
                 * @description When the duration starts.
                 * @enum {string}
                 */
                StartsOn: "enrolment" | "launch";
                /** @description The enrolment that the user already has and that would be kept or extended; null if a new one would be created. */
                EnrollID: string | null;
                /**
                 * Format: date-time
                 * @description When access would end; null if it never ends or starts with the first launch.
                 */
                ExpiresAt: string | null;
            }[];
        };
        /** RedeemedEnrolmentKey */
        RedeemedEnrolmentKey: {
            /** @description ID of the key, which does not reveal the key itself. Opaque. */
            KeyID: string;
            /** Format: date-time */
            RedeemedAt: string;
            /** @description In the order of CourseIDs. */
            Enrolments: components["schemas"]["Enrolment"][];
        };
        /** SignInRequest */
        SignInRequest: {
            /**
             * @description The page to open after signing in: a path that begins with a single slash.
             * @default /console/
             * @example /console/
             */
            Path?: string;
        };
        /** SignInLink */
        SignInLink: {
            /** @description Redirect the user's browser to this URL before it expires. The link works once. */
            SignInURL: string;
            /** Format: date-time */
            ExpiresAt: string;
        };
        /** PasswordFunction */
        PasswordFunction: {
            /**
             * @description The function with which the page hashes passwords.
             * @enum {string}
             */
            PasswordHash: "sha256-hex" | "sha512-hex" | "sha256-base64" | "md5-hex";
        };
        /** PasswordSignIn */
        PasswordSignIn: {
            /** @description TenantID or Name of the tenant, ignoring case. A Name that several tenants share does not work. */
            TenantID: string;
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID: string;
            /** @description The password, hashed in the browser with the function that the service reported for the tenant. */
            Password: string;
        };
        /**
         * PageBranding
         * @description A tenant's public branding. All members are null if the tenant has neither a colour nor a logo.
         */
        PageBranding: {
            /** @example Acme Ltd */
            Name: string | null;
            /**
             * @description The language of emails to users and, by default, of the pages with the branding of the tenant.
             * @enum {string|null}
             */
            Language: "en" | "de" | "fr" | null;
            /**
             * @description The image. Its content never changes: a new logo has a new URL. It can be read without a key.
             * @example https://lectern.example.com/branding/acme/logo/JeEl-t9mZ4GQvG-8oxI7d3
             */
            LogoURL: string | null;
            /**
             * @description The colour of buttons, links and progress bars, as #rrggbb.
             * @example #0057b8
             */
            Colour: string | null;
            /** @description The colour on light pages, with the contrast that WCAG 2.2 AA requires. */
            Light: {
                /**
                 * @description For buttons: `Colour`, unless it would be hard to see on the page.
                 * @example #0057b8
                 */
                Fill: string;
                /**
                 * @description For text on `Fill`: white or black, at least 4.5:1.
                 * @example #ffffff
                 */
                OnFill: string;
                /**
                 * @description A tint for backgrounds.
                 * @example #e0ebf6
                 */
                Soft: string;
                /**
                 * @description For links and progress bars: at least 4.5:1 on the page and on `Soft`.
                 * @example #0057b8
                 */
                Text: string;
            } | null;
            /** @description The colour on dark pages. */
            Dark: {
                /**
                 * @description For buttons: `Colour`, unless it would be hard to see on the page.
                 * @example #0057b8
                 */
                Fill: string;
                /**
                 * @description For text on `Fill`: white or black, at least 4.5:1.
                 * @example #ffffff
                 */
                OnFill: string;
                /**
                 * @description A tint for backgrounds.
                 * @example #e0ebf6
                 */
                Soft: string;
                /**
                 * @description For links and progress bars: at least 4.5:1 on the page and on `Soft`.
                 * @example #0057b8
                 */
                Text: string;
            } | null;
        };
        /**
         * Session
         * @description The user who is signed in to this browser. For the operator, tenant and name are null.
         */
        Session: {
            /**
             * @description The operator can manage every tenant, an administrator only their own. A learner can read their own data.
             * @enum {string}
             */
            Role: "operator" | "administrator" | "learner";
            /** @description Chosen by the operator. Cannot be changed. */
            TenantID: string | null;
            TenantName: string | null;
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID: string | null;
            FirstName: string | null;
            LastName: string | null;
            /** @description The scopes of the session: all scopes of its role, unless a key with fewer scopes created the sign-in link or set the password. */
            Scopes: ("users:read" | "users:write" | "users:admin" | "enrolments:read" | "enrolments:write" | "enrolments:launch" | "catalogue:read" | "catalogue:write" | "events:read" | "webhooks:write" | "xapi:read" | "xapi:write" | "audit:read" | "tenants:write")[];
            /**
             * @description What the user has to do first: `use_passkey` if they have a passkey but have not used it in this session, and `add_passkey` if they need one but have none. Until then, the session has no scopes.
             * @enum {string|null}
             */
            NextStep: "use_passkey" | "add_passkey" | null;
            /** Format: date-time */
            SignedInAt: string;
            /**
             * Format: date-time
             * @description The session ends at this time unless it is used.
             */
            IdleUntil: string;
            /**
             * Format: date-time
             * @description The session ends at this time at the latest.
             */
            ExpiresAt: string;
            Branding: components["schemas"]["PageBranding"];
        };
        /** InvitationToken */
        InvitationToken: {
            /** @description The part of the link after #. */
            Token: string;
        };
        /**
         * OpenInvitation
         * @description The information shown on the page of an invitation or password reset.
         */
        OpenInvitation: {
            /** @description Chosen by the operator. Cannot be changed. */
            TenantID: string;
            TenantName: string;
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID: string;
            FirstName: string | null;
            LastName: string | null;
            /** Format: date-time */
            ExpiresAt: string;
            /**
             * @description The function with which the page hashes passwords.
             * @enum {string}
             */
            PasswordHash: "sha256-hex" | "sha512-hex" | "sha256-base64" | "md5-hex";
            Branding: components["schemas"]["PageBranding"];
        };
        /** InvitationAcceptance */
        InvitationAcceptance: {
            /** @description The part of the link after #. */
            Token: string;
            /** @description The password, hashed in the browser with the function that the service reported for the tenant. */
            Password: string;
        };
        /** PasswordForgotten */
        PasswordForgotten: {
            /** @description TenantID or Name of the tenant, ignoring case. A Name that several tenants share does not work. */
            TenantID: string;
            /** @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed. */
            LoginID: string;
        };
        /** OwnPasswordChange */
        OwnPasswordChange: {
            /** @description The password, hashed in the browser with the function that the service reported for the tenant. */
            OldPassword: string;
            /** @description The password, hashed in the browser with the function that the service reported for the tenant. */
            Password: string;
        };
        /** PasskeyPurpose */
        PasskeyPurpose: {
            /**
             * @description Whether to add a passkey or to use one.
             * @enum {string}
             */
            Purpose: "add" | "use";
        };
        /**
         * PasskeyChallenge
         * @description What a page needs to call WebAuthn in the browser.
         */
        PasskeyChallenge: {
            /**
             * @description In base64url. It can be used once, by this session.
             * @example Zk3q0m8uY2hhbGxlbmdlLWV4YW1wbGU
             */
            Challenge: string;
            /** Format: date-time */
            ExpiresAt: string;
            /**
             * @description The host name to which passkeys are bound.
             * @example lms.example
             */
            RelyingPartyID: string;
            /**
             * @description In base64url.
             * @example MDE5OTRhNWUtN2MwMC03MDAw
             */
            UserHandle: string;
            /** @example ada */
            UserName: string;
            /** @example Ada Lovelace */
            DisplayName: string;
            /** @description The user's passkeys. With the purpose `use`, one of them must be used; with `add`, none of them can be added again. */
            Credentials: {
                /**
                 * @description ID of the credential, in base64url.
                 * @example AZp3cGtleS1pZC1leGFtcGxl
                 */
                CredentialID: string;
                /** @description How the browser can reach the authenticator. */
                Transports: string[];
            }[];
        };
        /**
         * PasskeyAnswer
         * @description The browser's answer to a challenge with the purpose `use`.
         */
        PasskeyAnswer: {
            /**
             * @description ID of the credential, in base64url.
             * @example AZp3cGtleS1pZC1leGFtcGxl
             */
            CredentialID: string;
            /**
             * @description clientDataJSON, in base64url.
             * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
             */
            ClientData: string;
            /**
             * @description In base64url.
             * @example SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ
             */
            AuthenticatorData: string;
            /**
             * @description In base64url.
             * @example MEUCIQDsZXhhbXBsZQIgc2lnbmF0dXJl
             */
            Signature: string;
        };
        /**
         * Passkey
         * @description A user's second factor. Lectern stores only its public key.
         */
        Passkey: {
            /** Format: uuid */
            PasskeyID: string;
            /** @description Chosen by the user, such as "Laptop". */
            Name: string;
            /** Format: date-time */
            CreatedAt: string;
            /** Format: date-time */
            LastUsedAt: string | null;
        };
        /** PasskeyList */
        PasskeyList: {
            /** @description All of them, oldest first; at most 20. */
            Items: components["schemas"]["Passkey"][];
        };
        /**
         * NewPasskey
         * @description The browser's answer to a challenge with the purpose `add`.
         */
        NewPasskey: {
            /** @description Chosen by the user, such as "Laptop". */
            Name: string;
            /**
             * @description ID of the credential, in base64url.
             * @example AZp3cGtleS1pZC1leGFtcGxl
             */
            CredentialID: string;
            /**
             * @description clientDataJSON, in base64url.
             * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
             */
            ClientData: string;
            /**
             * @description In base64url.
             * @example o2NmbXRkbm9uZWdhdHRTdG10oA
             */
            AttestationObject: string;
            /** @description How the browser can reach the authenticator. */
            Transports?: string[];
        };
        /** PasskeyName */
        PasskeyName: {
            /** @description Chosen by the user, such as "Laptop". */
            Name: string;
        };
        /** Course */
        Course: {
            /** @description ID of the course. Chosen by the operator. */
            CourseID: string;
            Title: string;
            Description: string | null;
            /**
             * @description BCP 47 language tag.
             * @example en-GB
             */
            Language: string | null;
            /** @description URL of an image for shop and portal pages, and for My courses in the console, which requires HTTPS. */
            ImageURL: string | null;
            /**
             * @description The standard of the content; null if the course has no content yet.
             * @enum {string|null}
             */
            Standard: "scorm12" | "scorm2004-2nd" | "scorm2004-3rd" | "scorm2004-4th" | "cmi5" | "xapi" | "aicc" | "web" | null;
            /**
             * @description A draft is visible only to the operator. A retired course accepts no new enrolments; current learners can continue.
             * @enum {string}
             */
            Status: "draft" | "published" | "retired";
            /** @description Number of the current release. */
            Release: number | null;
            AvailableEnrolOptions: components["schemas"]["EnrolOption"][];
        };
        /** AuthoredCourse */
        AuthoredCourse: {
            /** @description ID of the course. Chosen by the operator. */
            CourseID: string;
            Title: string;
            Description: string | null;
            /**
             * @description BCP 47 language tag.
             * @example en-GB
             */
            Language: string | null;
            /** @description URL of an image for shop and portal pages, and for My courses in the console, which requires HTTPS. */
            ImageURL: string | null;
            /** @description URL of a web course that is hosted elsewhere. */
            URL: string | null;
            /** @description TenantIDs of the tenants to which the course is offered; null means all tenants. */
            Tenants: string[] | null;
            /**
             * @description The standard of the content; null if the course has no content yet.
             * @enum {string|null}
             */
            Standard: "scorm12" | "scorm2004-2nd" | "scorm2004-3rd" | "scorm2004-4th" | "cmi5" | "xapi" | "aicc" | "web" | null;
            /**
             * @description A draft is visible only to the operator. A retired course accepts no new enrolments; current learners can continue.
             * @enum {string}
             */
            Status: "draft" | "published" | "retired";
            /** @description Number of the current release. */
            Release: number | null;
            /** @description Number of warnings in the current release; null if there is no release. */
            Warnings: number | null;
            /** @description Number of these warnings with the severity `error`: learners get an error page, or cannot complete the course. */
            Errors: number | null;
            EnrolOptions: components["schemas"]["EnrolOption"][];
            /** Format: date-time */
            CreatedAt: string;
            /** Format: date-time */
            UpdatedAt: string;
        };
        /** CourseChange */
        CourseChange: {
            Title?: string;
            Description?: string | null;
            /**
             * @description BCP 47 language tag.
             * @example en-GB
             */
            Language?: string | null;
            /** @description URL of an image for shop and portal pages, and for My courses in the console, which requires HTTPS. */
            ImageURL?: string | null;
            /** @description URL of a web course that is hosted elsewhere. */
            URL?: string | null;
            /** @description TenantIDs of the tenants to which the course is offered; null means all tenants. */
            Tenants?: string[] | null;
            /**
             * @description A draft is visible only to the operator. A retired course accepts no new enrolments; current learners can continue.
             * @enum {string}
             */
            Status?: "draft" | "published" | "retired";
        };
        /** EnrolOptionChange */
        EnrolOptionChange: {
            Name?: string;
            /**
             * @description ISO 8601 duration, such as P30D; null means unlimited.
             * @example P30D
             */
            Duration?: string | null;
            /**
             * @description When the duration starts.
             * @enum {string}
             */
            StartsOn?: "enrolment" | "launch";
            /** @description Maximum number of enrolments with this option, across all tenants to which the course is offered; null means unlimited. A withdrawal within SEAT_GRACE_DAYS (default 14) days of enrolling frees the seat. */
            Seats?: number | null;
            /** @description GroupNames of the users to whom the option is offered; null means all users. Tenants see only the groups of their own users. */
            Groups?: string[] | null;
            /** @description For display in a shop. Lectern does not process payments. */
            Price?: {
                /**
                 * @description A decimal number as a string.
                 * @example 49.00
                 */
                Amount: string;
                /**
                 * @description ISO 4217 currency code.
                 * @example EUR
                 */
                Currency: string;
            } | null;
            /**
             * @description A draft is visible only to the operator. A retired course accepts no new enrolments; current learners can continue.
             * @enum {string}
             */
            Status?: "draft" | "published" | "retired";
            /**
             * @description Replaces the rules for attempts; fields that you leave out get their default values. null means a single attempt, which stays open.
             * @example {
             *       "Limit": 3,
             *       "CoolDown": "P1D",
             *       "Counts": "best",
             *       "After": "failed",
             *       "Review": false
             *     }
             */
            Attempts?: {
                /** @description Maximum number of attempts; null (default) means no limit other than 1,000. Attempts before a reset do not count. */
                Limit?: number | null;
                /**
                 * @description Minimum time between the end of an attempt and the start of the next one, as an ISO 8601 duration in days, hours and minutes, such as P1D or PT30M; null (default) means no waiting time.
                 * @example P1D
                 */
                CoolDown?: string | null;
                /**
                 * @description Which finished attempt decides the result of the enrolment. best (default): the passed attempt or, if none was passed, the attempt with the highest score.
                 * @enum {string}
                 */
                Counts?: "best" | "last" | "first";
                /**
                 * @description When a launch starts a new attempt. failed (default): if the learner failed the latest attempt and the enrolment is not passed; other launches reopen the latest attempt. finished: whenever the latest attempt is finished, even if it was passed.
                 * @enum {string}
                 */
                After?: "failed" | "finished";
                /** @description Whether the learner can open the latest attempt for review while no new attempt can start. SCORM content runs in review mode (`cmi.mode` or `cmi.core.lesson_mode` is `review`), and nothing is recorded. false (default): the course stays closed. */
                Review?: boolean;
            } | null;
        };
        /** Release */
        Release: {
            /** @description ID of the course. Chosen by the operator. */
            CourseID: string;
            /** @description Increases by one with each package imported for the course. */
            Release: number;
            /** @description true if learners who start the course now play this release. */
            Current: boolean;
            /** @enum {string} */
            Standard: "scorm12" | "scorm2004-2nd" | "scorm2004-3rd" | "scorm2004-4th" | "cmi5" | "xapi" | "aicc" | "web";
            /**
             * @description The tool that made the package; null if it is unknown.
             * @example Lectora
             */
            AuthoringTool: string | null;
            /** @description Title from the package itself. */
            Title: string;
            /**
             * @description The rules of the course as a whole.
             * @example [
             *       {
             *         "Rule": "opensAfter",
             *         "Match": "all",
             *         "Conditions": [
             *           {
             *             "Condition": "passed",
             *             "Not": false,
             *             "Units": [
             *               "How fires start"
             *             ],
             *             "Objective": null,
             *             "Value": null
             *           }
             *         ],
             *         "Value": null,
             *         "Text": "Getting out opens after How fires start is passed."
             *       }
             *     ]
             */
            Rules: {
                /**
                 * @description What the rule does.
                 * @enum {string}
                 */
                Rule: "opensAfter" | "unavailableIf" | "skippedIf" | "hiddenIf" | "lastIf" | "endsIf" | "repeatsIf" | "restartsIf" | "courseEndsIf" | "groupEndsIf" | "continuesIf" | "goesBackIf" | "attemptLimit" | "timeLimit" | "inOrder" | "forwardOnly" | "selection" | "shuffled" | "passScore" | "completionShare" | "prerequisites";
                /**
                 * @description Whether all or any of the conditions must be met.
                 * @enum {string}
                 */
                Match: "all" | "any";
                Conditions: {
                    /** @enum {string} */
                    Condition: "passed" | "completed" | "done" | "opened" | "scoreAbove" | "scoreBelow" | "resultKnown" | "scoreKnown" | "progressKnown" | "attemptsUsedUp" | "timeUsedUp" | "always" | "never";
                    /** @description true if the condition is negated. */
                    Not: boolean;
                    /** @description Titles of the units that the condition checks; it is met if any of them meets it. Empty if it checks the unit itself. */
                    Units: string[];
                    /** @description An objective that no unit of the course sets. */
                    Objective: string | null;
                    /** @description Per cent, for scores. */
                    Value: number | null;
                }[];
                /** @description A number of attempts, units or seconds, or a percentage. */
                Value: number | null;
                /** @description The rule as an English sentence. */
                Text: string;
            }[];
            /** @description In the order of the table of contents. */
            Units: {
                UnitID: string;
                Title: string;
                /**
                 * @description The rules for when this unit opens, how it is passed, and what follows.
                 * @example [
                 *       {
                 *         "Rule": "opensAfter",
                 *         "Match": "all",
                 *         "Conditions": [
                 *           {
                 *             "Condition": "passed",
                 *             "Not": false,
                 *             "Units": [
                 *               "How fires start"
                 *             ],
                 *             "Objective": null,
                 *             "Value": null
                 *           }
                 *         ],
                 *         "Value": null,
                 *         "Text": "Getting out opens after How fires start is passed."
                 *       }
                 *     ]
                 */
                Rules: {
                    /**
                     * @description What the rule does.
                     * @enum {string}
                     */
                    Rule: "opensAfter" | "unavailableIf" | "skippedIf" | "hiddenIf" | "lastIf" | "endsIf" | "repeatsIf" | "restartsIf" | "courseEndsIf" | "groupEndsIf" | "continuesIf" | "goesBackIf" | "attemptLimit" | "timeLimit" | "inOrder" | "forwardOnly" | "selection" | "shuffled" | "passScore" | "completionShare" | "prerequisites";
                    /**
                     * @description Whether all or any of the conditions must be met.
                     * @enum {string}
                     */
                    Match: "all" | "any";
                    Conditions: {
                        /** @enum {string} */
                        Condition: "passed" | "completed" | "done" | "opened" | "scoreAbove" | "scoreBelow" | "resultKnown" | "scoreKnown" | "progressKnown" | "attemptsUsedUp" | "timeUsedUp" | "always" | "never";
                        /** @description true if the condition is negated. */
                        Not: boolean;
                        /** @description Titles of the units that the condition checks; it is met if any of them meets it. Empty if it checks the unit itself. */
                        Units: string[];
                        /** @description An objective that no unit of the course sets. */
                        Objective: string | null;
                        /** @description Per cent, for scores. */
                        Value: number | null;
                    }[];
                    /** @description A number of attempts, units or seconds, or a percentage. */
                    Value: number | null;
                    /** @description The rule as an English sentence. */
                    Text: string;
                }[];
                /** @description Launch URL of the unit; null if it only groups other units. */
                Href: string | null;
                /** @description Depth in the table of contents; 0 for the top level. */
                Depth: number;
            }[];
            /** @description Problems in the package that did not prevent its import; errors first. */
            Warnings: {
                /**
                 * @description `error`: learners get an error page or cannot complete a unit; `warning`: learners may notice it; `note`: relevant only to the author of the package.
                 * @enum {string}
                 */
                Severity: "error" | "warning" | "note";
                Message: string;
                File: string | null;
                Line: number | null;
            }[];
            Files: number;
            /** @description Uncompressed size. */
            Bytes: number;
            /** @description SHA-256 of the zip, in hexadecimal. */
            SHA256: string;
            /** Format: date-time */
            CreatedAt: string;
        };
        /** ReleaseChange */
        ReleaseChange: {
            /**
             * @description true makes this the release for learners who start from now on; learners who have already started stay on theirs.
             * @enum {boolean}
             */
            Current: true;
        };
        /** ReleaseEffect */
        ReleaseEffect: {
            /** @description ID of the course. Chosen by the operator. */
            CourseID: string;
            /** @description Increases by one with each package imported for the course. */
            Release: number;
            /** @description true if learners who start the course now play this release. */
            Current: boolean;
            /** @enum {string} */
            Standard: "scorm12" | "scorm2004-2nd" | "scorm2004-3rd" | "scorm2004-4th" | "cmi5" | "xapi" | "aicc" | "web";
            /**
             * @description The tool that made the package; null if it is unknown.
             * @example Lectora
             */
            AuthoringTool: string | null;
            /** @description Title from the package itself. */
            Title: string;
            /**
             * @description The rules of the course as a whole.
             * @example [
             *       {
             *         "Rule": "opensAfter",
             *         "Match": "all",
             *         "Conditions": [
             *           {
             *             "Condition": "passed",
             *             "Not": false,
             *             "Units": [
             *               "How fires start"
             *             ],
             *             "Objective": null,
             *             "Value": null
             *           }
             *         ],
             *         "Value": null,
             *         "Text": "Getting out opens after How fires start is passed."
             *       }
             *     ]
             */
            Rules: {
                /**
                 * @description What the rule does.
                 * @enum {string}
                 */
                Rule: "opensAfter" | "unavailableIf" | "skippedIf" | "hiddenIf" | "lastIf" | "endsIf" | "repeatsIf" | "restartsIf" | "courseEndsIf" | "groupEndsIf" | "continuesIf" | "goesBackIf" | "attemptLimit" | "timeLimit" | "inOrder" | "forwardOnly" | "selection" | "shuffled" | "passScore" | "completionShare" | "prerequisites";
                /**
                 * @description Whether all or any of the conditions must be met.
                 * @enum {string}
                 */
                Match: "all" | "any";
                Conditions: {
                    /** @enum {string} */
                    Condition: "passed" | "completed" | "done" | "opened" | "scoreAbove" | "scoreBelow" | "resultKnown" | "scoreKnown" | "progressKnown" | "attemptsUsedUp" | "timeUsedUp" | "always" | "never";
                    /** @description true if the condition is negated. */
                    Not: boolean;
                    /** @description Titles of the units that the condition checks; it is met if any of them meets it. Empty if it checks the unit itself. */
                    Units: string[];
                    /** @description An objective that no unit of the course sets. */
                    Objective: string | null;
                    /** @description Per cent, for scores. */
                    Value: number | null;
                }[];
                /** @description A number of attempts, units or seconds, or a percentage. */
                Value: number | null;
                /** @description The rule as an English sentence. */
                Text: string;
            }[];
            /** @description In the order of the table of contents. */
            Units: {
                UnitID: string;
                Title: string;
                /**
                 * @description The rules for when this unit opens, how it is passed, and what follows.
                 * @example [
                 *       {
                 *         "Rule": "opensAfter",
                 *         "Match": "all",
                 *         "Conditions": [
                 *           {
                 *             "Condition": "passed",
                 *             "Not": false,
                 *             "Units": [
                 *               "How fires start"
                 *             ],
                 *             "Objective": null,
                 *             "Value": null
                 *           }
                 *         ],
                 *         "Value": null,
                 *         "Text": "Getting out opens after How fires start is passed."
                 *       }
                 *     ]
                 */
                Rules: {
                    /**
                     * @description What the rule does.
                     * @enum {string}
                     */
                    Rule: "opensAfter" | "unavailableIf" | "skippedIf" | "hiddenIf" | "lastIf" | "endsIf" | "repeatsIf" | "restartsIf" | "courseEndsIf" | "groupEndsIf" | "continuesIf" | "goesBackIf" | "attemptLimit" | "timeLimit" | "inOrder" | "forwardOnly" | "selection" | "shuffled" | "passScore" | "completionShare" | "prerequisites";
                    /**
                     * @description Whether all or any of the conditions must be met.
                     * @enum {string}
                     */
                    Match: "all" | "any";
                    Conditions: {
                        /** @enum {string} */
                        Condition: "passed" | "completed" | "done" | "opened" | "scoreAbove" | "scoreBelow" | "resultKnown" | "scoreKnown" | "progressKnown" | "attemptsUsedUp" | "timeUsedUp" | "always" | "never";
                        /** @description true if the condition is negated. */
                        Not: boolean;
                        /** @description Titles of the units that the condition checks; it is met if any of them meets it. Empty if it checks the unit itself. */
                        Units: string[];
                        /** @description An objective that no unit of the course sets. */
                        Objective: string | null;
                        /** @description Per cent, for scores. */
                        Value: number | null;
                    }[];
                    /** @description A number of attempts, units or seconds, or a percentage. */
                    Value: number | null;
                    /** @description The rule as an English sentence. */
                    Text: string;
                }[];
                /** @description Launch URL of the unit; null if it only groups other units. */
                Href: string | null;
                /** @description Depth in the table of contents; 0 for the top level. */
                Depth: number;
            }[];
            /** @description Problems in the package that did not prevent its import; errors first. */
            Warnings: {
                /**
                 * @description `error`: learners get an error page or cannot complete a unit; `warning`: learners may notice it; `note`: relevant only to the author of the package.
                 * @enum {string}
                 */
                Severity: "error" | "warning" | "note";
                Message: string;
                File: string | null;
                Line: number | null;
            }[];
            Files: number;
            /** @description Uncompressed size. */
            Bytes: number;
            /** @description SHA-256 of the zip, in hexadecimal. */
            SHA256: string;
            /** Format: date-time */
            CreatedAt: string;
            /** @description In a plan, the learners of all tenants whose enrolments have not ended; null after the change. */
            Affected: {
                /** @description Learners who get this release on their next launch, because they have not started or because that launch starts another attempt. */
                NotStarted: number;
                /** @description Learners who have started but not completed the course. They stay on the release that they started. */
                InProgress: number;
                /** @description Learners who have completed the course. They keep their release and their results. */
                Completed: number;
                /** @description true if the course has more enrolments than the 100000 that were read, so the actual numbers may be higher. */
                More: boolean;
            } | null;
        };
        /** NewTenant */
        NewTenant: {
            /** @description Chosen by the operator. Cannot be changed. */
            TenantID: string;
            Name?: string;
            /**
             * @description The function that the client uses to hash passwords; `opaque` means unknown.
             * @enum {string}
             */
            PasswordHash?: "opaque" | "sha256-hex" | "sha512-hex" | "sha256-base64" | "md5-hex";
            /**
             * @description `required`: administrators need a passkey to use the console. Without one, all they can do is add one. This also applies to open sessions, but not to API keys or to sign-in links created with them. `optional`: only administrators who have added a passkey need it.
             * @enum {string}
             */
            SecondFactor?: "optional" | "required";
            /**
             * @description The language of emails to users and, by default, of the pages with the branding of the tenant.
             * @enum {string}
             */
            Language?: "en" | "de" | "fr";
            /** @description When learners are reminded, in days before their access ends. Each reminder is an event and, if the learner has an email address, an email. An empty list means never. */
            ReminderDays?: number[];
            /** @description Origins to which a returnURL may lead; null means any http(s) URL. */
            ReturnOrigins?: string[] | null;
            /** @description Origins that may show a course in a frame; null means any origin. */
            FrameOrigins?: string[] | null;
            /**
             * @description `test` creates a sandbox: its clock can be moved, and its courses can be played by a robot. This cannot be changed later.
             * @enum {string}
             */
            Status?: "active" | "test";
        };
        /**
         * Tenant
         * @description One client application and its users.
         */
        Tenant: {
            /** @description Chosen by the operator. Cannot be changed. */
            TenantID: string;
            Name: string;
            /**
             * @description The function that the client uses to hash passwords; `opaque` means unknown.
             * @enum {string}
             */
            PasswordHash: "opaque" | "sha256-hex" | "sha512-hex" | "sha256-base64" | "md5-hex";
            /**
             * @description `required`: administrators need a passkey to use the console. Without one, all they can do is add one. This also applies to open sessions, but not to API keys or to sign-in links created with them. `optional`: only administrators who have added a passkey need it.
             * @enum {string}
             */
            SecondFactor: "optional" | "required";
            /**
             * @description The language of emails to users and, by default, of the pages with the branding of the tenant.
             * @enum {string}
             */
            Language: "en" | "de" | "fr";
            /** @description When learners are reminded, in days before their access ends. Each reminder is an event and, if the learner has an email address, an email. An empty list means never. */
            ReminderDays: number[];
            /** @description Origins to which a returnURL may lead; null means any http(s) URL. */
            ReturnOrigins: string[] | null;
            /** @description Origins that may show a course in a frame; null means any origin. */
            FrameOrigins: string[] | null;
            /**
             * @description `suspended`: API keys, sessions, launch and sign-in links, open courses and webhooks stop within 5 s on every node. Nothing is lost: `active` resumes them. The operator can still manage the tenant. `test`: active, but its clock can be moved and its courses can be played by a robot. A tenant can become a test tenant only when it is created.
             * @enum {string}
             */
            Status: "active" | "suspended" | "test";
            /** Format: date-time */
            CreatedAt: string;
            /** Format: date-time */
            UpdatedAt: string;
        };
        /** TenantChange */
        TenantChange: {
            Name?: string;
            /**
             * @description The function that the client uses to hash passwords; `opaque` means unknown.
             * @enum {string}
             */
            PasswordHash?: "opaque" | "sha256-hex" | "sha512-hex" | "sha256-base64" | "md5-hex";
            /**
             * @description `required`: administrators need a passkey to use the console. Without one, all they can do is add one. This also applies to open sessions, but not to API keys or to sign-in links created with them. `optional`: only administrators who have added a passkey need it.
             * @enum {string}
             */
            SecondFactor?: "optional" | "required";
            /**
             * @description The language of emails to users and, by default, of the pages with the branding of the tenant.
             * @enum {string}
             */
            Language?: "en" | "de" | "fr";
            /** @description When learners are reminded, in days before their access ends. Each reminder is an event and, if the learner has an email address, an email. An empty list means never. */
            ReminderDays?: number[];
            /** @description Origins to which a returnURL may lead; null means any http(s) URL. */
            ReturnOrigins?: string[] | null;
            /** @description Origins that may show a course in a frame; null means any origin. */
            FrameOrigins?: string[] | null;
            /**
             * @description `suspended`: API keys, sessions, launch and sign-in links, open courses and webhooks stop within 5 s on every node. Nothing is lost: `active` resumes them. The operator can still manage the tenant. `test`: active, but its clock can be moved and its courses can be played by a robot. A tenant can become a test tenant only when it is created.
             * @enum {string}
             */
            Status?: "active" | "suspended" | "test";
        };
        /**
         * TenantDeletion
         * @description What is deleted when a tenant is deleted, what is kept, and why.
         */
        TenantDeletion: {
            /** @description Opaque ID; null in a plan. */
            ReceiptID: string | null;
            /** @description Chosen by the operator. Cannot be changed. */
            TenantID: string;
            /** @description true for a plan: nothing was changed, and the counts show what would be deleted. */
            Plan: boolean;
            /**
             * Format: date-time
             * @description When the tenant was deleted. Its data is removed in the background; the TenantID can be reused when that is finished.
             */
            StartedAt: string | null;
            Deleted: {
                /** @description The kind of data: the Type of its lines in the export. */
                Data: string;
                /** @description Number of records. Counting stops at 10000. */
                Records: number;
                /** @description true if there are more records than were counted. */
                More: boolean;
                What: string;
            }[];
            Kept: {
                Data: string;
                What: string;
                Why: string;
            }[];
        };
        /**
         * Branding
         * @description The settings of a tenant's branding. Name and Language are fields of the tenant.
         */
        Branding: {
            /**
             * @description The colour of buttons, links and progress bars, as #rrggbb.
             * @example #0057b8
             */
            Colour: string | null;
            /**
             * Logo
             * @description The image, as browsers get it.
             */
            Logo: {
                /**
                 * @description The image. Its content never changes: a new logo has a new URL. It can be read without a key.
                 * @example https://lectern.example.com/branding/acme/logo/JeEl-t9mZ4GQvG-8oxI7d3
                 */
                URL: string;
                /** @enum {string} */
                Type: "image/png" | "image/jpeg" | "image/webp";
                /** @example 480 */
                Width: number;
                /** @example 120 */
                Height: number;
                /** @example 9214 */
                Bytes: number;
            } | null;
            /** Format: date-time */
            UpdatedAt: string | null;
        };
        /** BrandingChange */
        BrandingChange: {
            /**
             * @description The colour of buttons, links and progress bars, as #rrggbb.
             * @example #0057b8
             */
            Colour?: string | null;
            /**
             * @description A PNG, JPEG or WebP image in Base64: at most 128 KiB, and 2000 × 2000 pixels. Metadata is removed. Some email programs cannot show WebP. null removes the logo.
             * @example iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgCN8BAAFqARBhJv9LAAAAAElFTkSuQmCC
             */
            Logo?: string | null;
        };
        /**
         * Settings
         * @description The settings of a tenant that its administrators can change.
         */
        Settings: {
            /**
             * @description The language of emails to users and, by default, of the pages with the branding of the tenant.
             * @enum {string}
             */
            Language: "en" | "de" | "fr";
            /** @description When learners are reminded, in days before their access ends. Each reminder is an event and, if the learner has an email address, an email. An empty list means never. */
            ReminderDays: number[];
            /** Format: date-time */
            UpdatedAt: string;
        };
        /** SettingsChange */
        SettingsChange: {
            /**
             * @description The language of emails to users and, by default, of the pages with the branding of the tenant.
             * @enum {string}
             */
            Language?: "en" | "de" | "fr";
            /** @description When learners are reminded, in days before their access ends. Each reminder is an event and, if the learner has an email address, an email. An empty list means never. */
            ReminderDays?: number[];
        };
        /**
         * Event
         * @description An event; the body of a webhook delivery.
         */
        Event: {
            /** Format: uuid */
            EventID: string;
            /** Format: date-time */
            OccurredAt: string;
            /** @description The user to whom the event relates; null if there is none or the user has been erased. */
            LoginID: string | null;
            /** @description The enrolment to which the event relates. */
            EnrollID: string | null;
            CourseID: string | null;
            /** @enum {string} */
            Type: "user.created" | "user.updated" | "user.disabled" | "user.erased" | "invitation.created" | "invitation.accepted" | "mail.bounced" | "enrolment.created" | "enrolment.updated" | "enrolment.launched" | "enrolment.progressed" | "enrolment.completed" | "enrolment.passed" | "enrolment.failed" | "enrolment.attempt_started" | "enrolment.attempt_finished" | "enrolment.reset" | "enrolment.extended" | "enrolment.ending" | "enrolment.expired" | "enrolment.withdrawn" | "enrolment.renewed" | "key.redeemed" | "course.released" | "package.imported" | "report.ready" | "webhook.disabled";
            /** @description Depends on Type: see the webhooks in this document. Fields may be added. */
            Data: {
                [key: string]: unknown;
            };
        };
        /** Completion */
        Completion: {
            /** @description null if the line covers all courses. */
            CourseID: string | null;
            CourseTitle: string | null;
            /** @description null if the line covers all groups, or the users without a group. */
            GroupName: string | null;
            /** @description All enrolments covered by the line. A user who was enrolled again counts once for each enrolment. */
            Enrolments: number;
            /** @description Status `enrolled`. */
            NotStarted: number;
            /** @description Status `in_progress`. */
            InProgress: number;
            /** @description Status `completed`. */
            Completed: number;
            /** @description Status `expired`: overdue, because access ended before the course was completed. */
            Expired: number;
            /** @description Status `withdrawn`. */
            Withdrawn: number;
            /** @description Success `passed`, with any status. */
            Passed: number;
            /** @description Success `failed`, with any status. */
            Failed: number;
            /** @description Completed enrolments as a percentage of the enrolments that were not withdrawn; null if there are none. */
            CompletionRate: number | null;
            /**
             * Format: date
             * @description The day of the figures, in UTC. For a test tenant, today depends on its clock.
             */
            AsOf: string;
        };
        /** Access */
        Access: {
            /** @description null if the line covers all courses. */
            CourseID: string | null;
            CourseTitle: string | null;
            /** @description null if the line covers all groups, or the users without a group. */
            GroupName: string | null;
            /** @description Enrolments that are neither completed nor ended: status `enrolled` or `in_progress`. */
            Open: number;
            /** @description Open enrolments whose access ends today or on one of the next 7 days, in UTC; null for a past day. */
            EndsWithin7Days: number | null;
            /** @description Open enrolments whose access ends today or on one of the next 30 days, including EndsWithin7Days; null for a past day. */
            EndsWithin30Days: number | null;
            /** @description Status `expired`: access ended before the course was completed. */
            Overdue: number;
            /**
             * Format: date
             * @description The day of the figures, in UTC. For a test tenant, today depends on its clock.
             */
            AsOf: string;
        };
        /** ActivityPeriod */
        ActivityPeriod: {
            /**
             * Format: date
             * @description First day of the period, in UTC.
             * @example 2026-01-31
             */
            From: string;
            /**
             * Format: date
             * @description Last day of the period, in UTC.
             * @example 2026-01-31
             */
            To: string;
            /** @description Enrolments created: events `enrolment.created`. */
            Enrolments: number;
            /** @description Enrolments started for the first time: events `enrolment.launched` with Launch 1. */
            Starts: number;
            /** @description All launches: events `enrolment.launched`. */
            Launches: number;
            /** @description Courses completed: events `enrolment.completed`. */
            Completions: number;
            /** @description Courses passed: events `enrolment.passed`. */
            Passed: number;
            /** @description Courses failed: events `enrolment.failed`. */
            Failed: number;
            /** @description Enrolments that expired before they were completed: events `enrolment.expired`. */
            Expired: number;
            /** @description Enrolments withdrawn: events `enrolment.withdrawn`. */
            Withdrawn: number;
        };
        /** Day */
        Day: {
            /**
             * Format: date
             * @description The day in UTC.
             */
            Day: string;
            /** @description Enrolments created: events `enrolment.created`. */
            Enrolments: number;
            /** @description Enrolments started for the first time: events `enrolment.launched` with Launch 1. */
            Starts: number;
            /** @description Courses completed: events `enrolment.completed`. */
            Completions: number;
        };
        /**
         * Attention
         * @description What needs attention.
         */
        Attention: {
            /** @description Endpoints that are failing or were disabled after failing; null if the key lacks the scope webhooks:write. */
            Webhooks: {
                WebhookID: string;
                URL: string;
                /** @enum {string} */
                Status: "enabled" | "disabled";
                /** Format: date-time */
                FailingSince: string | null;
            }[] | null;
            /** @description Up to 50 published options with at most a tenth of their seats left, fewest seats first. */
            Seats: {
                CourseID: string;
                /** @description Title of the course. */
                Title: string;
                DurationID: string;
                /** @description Name of the enrolment option. */
                Name: string;
                Seats: number;
                SeatsLeft: number;
            }[];
            Expiring: {
                /** @description Current enrolments that are not completed and end between now and Until. Counting stops at 1000. */
                Enrolments: number;
                /** @description true if there may be more enrolments than were counted. */
                More: boolean;
                /**
                 * Format: date-time
                 * @description One week from now.
                 */
                Until: string;
            };
            /** @description Webhook deliveries that were abandoned in the last 24 hours; null if the key lacks the scope webhooks:write. Counting stops at 1000. */
            FailedDeliveries: number | null;
        };
        /** Overview */
        Overview: {
            /** @description One entry per day, oldest first. The last one is today, up to now. */
            Days: components["schemas"]["Day"][];
            Attention: components["schemas"]["Attention"];
        };
        /** NewReportSchedule */
        NewReportSchedule: {
            /**
             * @description Shown in the console and in the subject of emails.
             * @example Monday report
             */
            Name: string;
            /**
             * @description `completion`: the figures at the end of the day before the run, as in `GET /report/completion`. `activity`: the days before the run, as in `GET /report/activity`. `access`: the figures at the time when the report is read or its email is sent, as in `GET /report/access`. Days are in UTC.
             * @enum {string}
             */
            Report: "completion" | "activity" | "access";
            /**
             * @description How often the report runs.
             * @enum {string}
             */
            Every: "day" | "week" | "month";
            /**
             * @description The time of day in `TimeZone`, such as 07:00. A time that clocks skip is moved forward; a time that they show twice is used once.
             * @example 07:00
             */
            Time: string;
            /** @description A name from the IANA time zone database, such as Europe/Berlin. */
            TimeZone: string;
            /**
             * @description `email`: the recipients get the report as a CSV file. `webhook`: the event `report.ready` has the URL of the report.
             * @enum {string}
             */
            Delivery: "email" | "webhook";
            /**
             * @description Only for `completion` and `access`: what each line covers. Default: course.
             * @enum {string|null}
             */
            By?: "course" | "group" | "course_and_group" | "total" | null;
            /**
             * @description Only for `activity`: length of the periods. Default: day.
             * @enum {string|null}
             */
            Unit?: "day" | "week" | "month" | null;
            /** @description Only for `activity`: number of days before the run. Default: 30. */
            Days?: number | null;
            /** @description ID of the course. Chosen by the operator. */
            CourseID?: string | null;
            /** @description A group of users. */
            GroupName?: string | null;
            /**
             * @description The day on which a weekly report runs; required if `Every` is `week`.
             * @enum {string|null}
             */
            Weekday?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null;
            /** @description The day on which a monthly report runs; required if `Every` is `month`. In shorter months, it runs on the last day. */
            MonthDay?: number | null;
            /** @description LoginIDs of up to 10 enabled administrators with an email address. Required if `Delivery` is `email`, otherwise empty. */
            Recipients?: string[];
            /**
             * @description A paused report runs only on request.
             * @enum {string}
             */
            Status?: "active" | "paused";
        };
        /**
         * ReportSchedule
         * @description A report that is sent regularly.
         */
        ReportSchedule: {
            /**
             * Format: uuid
             * @description Opaque.
             */
            ScheduleID: string;
            /**
             * @description Shown in the console and in the subject of emails.
             * @example Monday report
             */
            Name: string;
            /**
             * @description `completion`: the figures at the end of the day before the run, as in `GET /report/completion`. `activity`: the days before the run, as in `GET /report/activity`. `access`: the figures at the time when the report is read or its email is sent, as in `GET /report/access`. Days are in UTC.
             * @enum {string}
             */
            Report: "completion" | "activity" | "access";
            /**
             * @description Only for `completion` and `access`: what each line covers. Default: course.
             * @enum {string|null}
             */
            By: "course" | "group" | "course_and_group" | "total" | null;
            /**
             * @description Only for `activity`: length of the periods. Default: day.
             * @enum {string|null}
             */
            Unit: "day" | "week" | "month" | null;
            /** @description Only for `activity`: number of days before the run. Default: 30. */
            Days: number | null;
            /** @description ID of the course. Chosen by the operator. */
            CourseID: string | null;
            /** @description A group of users. */
            GroupName: string | null;
            /**
             * @description How often the report runs.
             * @enum {string}
             */
            Every: "day" | "week" | "month";
            /**
             * @description The day on which a weekly report runs; required if `Every` is `week`.
             * @enum {string|null}
             */
            Weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null;
            /** @description The day on which a monthly report runs; required if `Every` is `month`. In shorter months, it runs on the last day. */
            MonthDay: number | null;
            /**
             * @description The time of day in `TimeZone`, such as 07:00. A time that clocks skip is moved forward; a time that they show twice is used once.
             * @example 07:00
             */
            Time: string;
            /** @description A name from the IANA time zone database, such as Europe/Berlin. */
            TimeZone: string;
            /**
             * @description `email`: the recipients get the report as a CSV file. `webhook`: the event `report.ready` has the URL of the report.
             * @enum {string}
             */
            Delivery: "email" | "webhook";
            /** @description LoginIDs of up to 10 enabled administrators with an email address. Required if `Delivery` is `email`, otherwise empty. */
            Recipients: string[];
            /**
             * @description A paused report runs only on request.
             * @enum {string}
             */
            Status: "active" | "paused";
            /**
             * Format: date-time
             * @description When the report runs next, or is tried again after a failure.
             */
            NextRunAt: string | null;
            /**
             * Format: date-time
             * @description The last run or attempt.
             */
            LastRunAt: string | null;
            /**
             * @description Why the last run failed; null if it succeeded. `no_recipients`: no recipient is still an enabled administrator with an email address who may read enrolments. `unavailable`: the figures were not complete. After `unavailable` and `failed`, the run is tried again for about an hour and a half. Whether the mail server accepted an email is in `GET /mail`.
             * @enum {string|null}
             */
            LastProblem: "no_recipients" | "mail_not_configured" | "unavailable" | "time_zone" | "failed" | null;
            /** Format: date-time */
            CreatedAt: string;
            /** Format: date-time */
            UpdatedAt: string;
        };
        /** ReportScheduleChange */
        ReportScheduleChange: {
            /**
             * @description Shown in the console and in the subject of emails.
             * @example Monday report
             */
            Name?: string;
            /**
             * @description `completion`: the figures at the end of the day before the run, as in `GET /report/completion`. `activity`: the days before the run, as in `GET /report/activity`. `access`: the figures at the time when the report is read or its email is sent, as in `GET /report/access`. Days are in UTC.
             * @enum {string}
             */
            Report?: "completion" | "activity" | "access";
            /**
             * @description Only for `completion` and `access`: what each line covers. Default: course.
             * @enum {string|null}
             */
            By?: "course" | "group" | "course_and_group" | "total" | null;
            /**
             * @description Only for `activity`: length of the periods. Default: day.
             * @enum {string|null}
             */
            Unit?: "day" | "week" | "month" | null;
            /** @description Only for `activity`: number of days before the run. Default: 30. */
            Days?: number | null;
            /** @description ID of the course. Chosen by the operator. */
            CourseID?: string | null;
            /** @description A group of users. */
            GroupName?: string | null;
            /**
             * @description How often the report runs.
             * @enum {string}
             */
            Every?: "day" | "week" | "month";
            /**
             * @description The day on which a weekly report runs; required if `Every` is `week`.
             * @enum {string|null}
             */
            Weekday?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null;
            /** @description The day on which a monthly report runs; required if `Every` is `month`. In shorter months, it runs on the last day. */
            MonthDay?: number | null;
            /**
             * @description The time of day in `TimeZone`, such as 07:00. A time that clocks skip is moved forward; a time that they show twice is used once.
             * @example 07:00
             */
            Time?: string;
            /** @description A name from the IANA time zone database, such as Europe/Berlin. */
            TimeZone?: string;
            /**
             * @description `email`: the recipients get the report as a CSV file. `webhook`: the event `report.ready` has the URL of the report.
             * @enum {string}
             */
            Delivery?: "email" | "webhook";
            /** @description LoginIDs of up to 10 enabled administrators with an email address. Required if `Delivery` is `email`, otherwise empty. */
            Recipients?: string[];
            /**
             * @description A paused report runs only on request.
             * @enum {string}
             */
            Status?: "active" | "paused";
        };
        /** NewWebhook */
        NewWebhook: {
            /**
             * @description `events` (default): your application receives events. `xapi`: another learning record store (LRS) receives the statements stored here, in the order in which they were stored.
             * @enum {string}
             */
            Kind?: "events" | "xapi";
            /** @description The URL to which events are sent with POST, or the endpoint of the LRS, to which `/statements` is added. It must be an https URL on the public internet. */
            URL: string;
            /** @description User name for the LRS (HTTP Basic). Required if `Kind` is `xapi`, otherwise null. */
            Username?: string | null;
            /** @description Password for the LRS. It is stored encrypted and never shown. */
            Password?: string;
            /** @description Event types to send; null means all. Null if `Kind` is `xapi`. */
            Types?: string[] | null;
            Description?: string | null;
            /**
             * @description Once enabled again, the endpoint continues where it stopped and receives the events that it missed.
             * @enum {string}
             */
            Status?: "enabled" | "disabled";
        };
        /** WebhookWithSecret */
        WebhookWithSecret: {
            WebhookID: string;
            /**
             * @description `events` (default): your application receives events. `xapi`: another learning record store (LRS) receives the statements stored here, in the order in which they were stored.
             * @enum {string}
             */
            Kind: "events" | "xapi";
            /** @description User name for the LRS (HTTP Basic). Required if `Kind` is `xapi`, otherwise null. */
            Username: string | null;
            /** @description The URL to which events are sent with POST, or the endpoint of the LRS, to which `/statements` is added. It must be an https URL on the public internet. */
            URL: string;
            /** @description Event types to send; null means all. Null if `Kind` is `xapi`. */
            Types: string[] | null;
            Description: string | null;
            /**
             * @description Once enabled again, the endpoint continues where it stopped and receives the events that it missed.
             * @enum {string}
             */
            Status: "enabled" | "disabled";
            /**
             * @description Why the endpoint is disabled. `failing`: no delivery succeeded for 72 hours. `client`: it was disabled with `PUT`.
             * @enum {string|null}
             */
            DisabledReason: "failing" | "client" | null;
            /**
             * Format: date-time
             * @description The first failure since the last success.
             */
            FailingSince: string | null;
            /** Format: date-time */
            CreatedAt: string;
            /** Format: date-time */
            UpdatedAt: string;
            /** @description For verifying signatures (Standard Webhooks). Shown only once. */
            Secret: string;
            /**
             * Format: date-time
             * @description Until this time, deliveries are also signed with the previous secret.
             */
            PreviousSecretUntil: string | null;
        };
        /**
         * Webhook
         * @description A client's endpoint for events, or another LRS.
         */
        Webhook: {
            WebhookID: string;
            /**
             * @description `events` (default): your application receives events. `xapi`: another learning record store (LRS) receives the statements stored here, in the order in which they were stored.
             * @enum {string}
             */
            Kind: "events" | "xapi";
            /** @description User name for the LRS (HTTP Basic). Required if `Kind` is `xapi`, otherwise null. */
            Username: string | null;
            /** @description The URL to which events are sent with POST, or the endpoint of the LRS, to which `/statements` is added. It must be an https URL on the public internet. */
            URL: string;
            /** @description Event types to send; null means all. Null if `Kind` is `xapi`. */
            Types: string[] | null;
            Description: string | null;
            /**
             * @description Once enabled again, the endpoint continues where it stopped and receives the events that it missed.
             * @enum {string}
             */
            Status: "enabled" | "disabled";
            /**
             * @description Why the endpoint is disabled. `failing`: no delivery succeeded for 72 hours. `client`: it was disabled with `PUT`.
             * @enum {string|null}
             */
            DisabledReason: "failing" | "client" | null;
            /**
             * Format: date-time
             * @description The first failure since the last success.
             */
            FailingSince: string | null;
            /** Format: date-time */
            CreatedAt: string;
            /** Format: date-time */
            UpdatedAt: string;
        };
        /** WebhookChange */
        WebhookChange: {
            /** @description The URL to which events are sent with POST, or the endpoint of the LRS, to which `/statements` is added. It must be an https URL on the public internet. */
            URL?: string;
            /** @description Event types to send; null means all. Null if `Kind` is `xapi`. */
            Types?: string[] | null;
            Description?: string | null;
            /**
             * @description Once enabled again, the endpoint continues where it stopped and receives the events that it missed.
             * @enum {string}
             */
            Status?: "enabled" | "disabled";
            /** @description User name for the LRS (HTTP Basic). Required if `Kind` is `xapi`, otherwise null. */
            Username?: string | null;
            /** @description Password for the LRS. It is stored encrypted and never shown. */
            Password?: string;
        };
        /** Rotation */
        Rotation: {
            /** @description How long deliveries are signed with both secrets. Default: one day. */
            OverlapSeconds?: number;
        };
        /**
         * Delivery
         * @description The delivery of one event, or of up to 50 statements, to one endpoint. Deliveries are kept for 30 days.
         */
        Delivery: {
            DeliveryID: string;
            /** @description The event, or the first statement. */
            EventID: string;
            /** @description Type of the event; `webhook.ping` for a ping, which is not in the log; `xapi.statements` for statements. */
            Type: string;
            /** @description The statements that are sent together, in order; null for events. */
            StatementIDs: string[] | null;
            /** @enum {string} */
            Reason: "event" | "replay" | "ping";
            /** @enum {string} */
            Status: "pending" | "delivered" | "failed";
            Attempts: number;
            /** Format: date-time */
            CreatedAt: string;
            /** Format: date-time */
            AttemptedAt: string | null;
            /** Format: date-time */
            NextAttemptAt: string | null;
            /** @description The last request. Its webhook-id is the EventID, and its webhook-timestamp is AttemptedAt. For statements the body is null: read them with `GET /xapi/statements`. */
            Request: {
                URL: string;
                Body: {
                    [key: string]: unknown;
                } | null;
            } | null;
            /** @description The last response with the first 4 kB of its body; null if there was none. Responses from an LRS are kept without their bodies, which may repeat statements. */
            Answer: {
                Status: number;
                Body: string | null;
            } | null;
            /** @description Why the last attempt failed. */
            Error: string | null;
            Milliseconds: number | null;
        };
        /**
         * Replay
         * @description Either EventIDs, or From and optionally Until.
         */
        Replay: {
            /** @description Events; if `Kind` is `xapi`, statements. */
            EventIDs?: string[];
            /**
             * Format: date-time
             * @description Events that occurred, or statements stored, at or after this time.
             */
            From?: string;
            /**
             * Format: date-time
             * @description Events that occurred, or statements stored, before this time. Default: now.
             */
            Until?: string;
        };
        /**
         * AuditEntry
         * @description A record of who changed access, people, results or the catalogue.
         */
        AuditEntry: {
            /** Format: uuid */
            AuditID: string;
            /** @description The tenant that the trail belongs to; null for the deployment's trail. */
            TenantID: string | null;
            /** @description Number of the entry in its trail: 1, 2, 3, without gaps. */
            Number: number;
            /** Format: date-time */
            At: string;
            /**
             * @description tenant.created: A tenant was created. tenant.changed: Fields of a tenant changed. branding.changed: The colour or the logo of a tenant changed. tenant.suspended: A tenant was suspended. tenant.resumed: A suspended tenant was resumed. tenant.clock_moved: The clock of a test tenant was moved forward. tenant.exported: All data held about a tenant was exported. tenant.deleted: A tenant was deleted and can no longer be found. Its own trail is deleted with its data. tenant.deletion_finished: All data of a deleted tenant has now been removed. key.created: An API key was created. key.revoked: An API key was revoked. administrator.created: An administrator was created. user.access_changed: A user became or ceased to be an administrator, was enabled or disabled, or got a new password or email address. user.erased: The personal data of a user was erased. The target is the receipt, because an entry must not link earlier entries to the person. user.exported: All data held about a user was exported. invitation.created: A user was invited to set a password. invitation.revoked: An invitation was revoked. invitation_link.created: Another link was created for an invitation. password_reset.requested: A user who forgot their password was sent a link to set a new one. mail.bounced: A bounce of an email to a user was reported. After a permanent bounce, the user gets no more emails. mail.bounce_cleared: The bounce of a user's email address was cleared. sign_in_link.created: A sign-in link was created for a user. sign_in.succeeded: A user or, without a target, the operator signed in. The method passkey is the second step, after another method. sign_in.failed: A sign-in attempt failed. If there is no target, the name or link is unknown. operator.signed_in: The operator signed in. sessions.ended: All sessions of a user, or of the operator, were ended. passkey.added: A passkey was added for a user or, without a target, for the operator. passkey.renamed: A passkey was renamed. passkey.removed: Passkeys of a user or, without a target, of the operator were removed. enrolment.overridden: A result was overridden, or the override was removed. enrolment.unit_waived: A unit of a cmi5 course was waived. The reason is part of the xAPI statement about the waiver. enrolment.withdrawn: An enrolment was withdrawn. enrolment.reinstated: The withdrawal of an enrolment was reversed. enrolment.end_changed: The end of access was changed manually. enrolment.details_changed: The Reference, Metadata or Attempts of an enrolment changed. enrolment.reset: All attempts of an enrolment were discarded. Attempt is the number of the next attempt. The reason is stored with the attempts. enrolment_key.issued: Enrolment keys were created in one call. enrolment_key.revoked: An enrolment key was revoked. webhook.created: A webhook endpoint was created. webhook.changed: Fields of a webhook endpoint changed. webhook.secret_rotated: The secret of a webhook endpoint was rotated. webhook.deleted: A webhook endpoint was deleted. webhook.replayed: Events were replayed. report_schedule.created: A report was scheduled. report_schedule.changed: Fields of a scheduled report changed. report_schedule.run_requested: A scheduled report was run manually. report_schedule.deleted: A scheduled report was deleted. course.created: A course was created. course.changed: Fields of a course changed. Status is the new status if it changed. course.deleted: A course was deleted. release.imported: A package was imported as a new release. Current is false if it did not become current. release.made_current: An existing release was set as current. option.created: An enrolment option was created. option.changed: Fields of an enrolment option changed. Status is the new status if it changed. option.deleted: An enrolment option was deleted. signing_keys.rotated: The key ring was rotated. backup.created: A backup was created. backup.restored: The database was restored from a backup. audit.began: The trail of the target tenant, or of the deployment, was started. The deployment's trail records the start of all others. audit.head_unverified: The trail continues after an entry that could not be verified: it was changed outside the service, or its signing key is missing.
             * @enum {string}
             */
            Action: "tenant.created" | "tenant.changed" | "branding.changed" | "tenant.suspended" | "tenant.resumed" | "tenant.clock_moved" | "tenant.exported" | "tenant.deleted" | "tenant.deletion_finished" | "key.created" | "key.revoked" | "administrator.created" | "user.access_changed" | "user.erased" | "user.exported" | "invitation.created" | "invitation.revoked" | "invitation_link.created" | "password_reset.requested" | "mail.bounced" | "mail.bounce_cleared" | "sign_in_link.created" | "sign_in.succeeded" | "sign_in.failed" | "operator.signed_in" | "sessions.ended" | "passkey.added" | "passkey.renamed" | "passkey.removed" | "enrolment.overridden" | "enrolment.unit_waived" | "enrolment.withdrawn" | "enrolment.reinstated" | "enrolment.end_changed" | "enrolment.details_changed" | "enrolment.reset" | "enrolment_key.issued" | "enrolment_key.revoked" | "webhook.created" | "webhook.changed" | "webhook.secret_rotated" | "webhook.deleted" | "webhook.replayed" | "report_schedule.created" | "report_schedule.changed" | "report_schedule.run_requested" | "report_schedule.deleted" | "course.created" | "course.changed" | "course.deleted" | "release.imported" | "release.made_current" | "option.created" | "option.changed" | "option.deleted" | "signing_keys.rotated" | "backup.created" | "backup.restored" | "audit.began" | "audit.head_unverified";
            /**
             * @description Who performed the action: an API key, a signed-in user, the command line, the service itself, or an anonymous caller, such as somebody who tried to sign in.
             * @enum {string}
             */
            Actor: "key" | "administrator" | "learner" | "operator_key" | "operator" | "command_line" | "service" | "anyone";
            /** @description ID of the key or session. */
            ActorID: string | null;
            /** @description Name of the key, or LoginID; null if there is none or the user has been erased. */
            ActorName: string | null;
            /** @description IP address; not recorded for learners. */
            Address: string | null;
            /** @description The request_id of the request log. */
            RequestID: string | null;
            /**
             * @description What was changed.
             * @enum {string|null}
             */
            Target: "tenant" | "key" | "user" | "erasure" | "enrolment" | "enrolment_key" | "webhook" | "report_schedule" | "course" | "deployment" | null;
            TargetID: string | null;
            /** @description LoginID of the user (even if the target is an enrolment) or name of the key; null if there is none or the user has been erased. */
            TargetName: string | null;
            /** @description Names of the changed fields, and values that are not sensitive. The fields depend on Action, and more may be added later. */
            Data: {
                [key: string]: unknown;
            };
            /** @description SHA-256 of this entry and the previous hash. `lectern audit verify` checks the chain. */
            Hash: string;
        };
        /**
         * Actor
         * @description An agent or group, identified by exactly one of mbox, mbox_sha1sum, openid and account.
         */
        Actor: {
            /** @description `Agent` (default) or `Group`. */
            objectType?: string;
            name?: string;
            mbox?: string;
            mbox_sha1sum?: string;
            openid?: string;
            account?: {
                /** @description An IRI. */
                homePage: string;
                name: string;
            };
            /** @description Agents; only in a group. */
            member?: {
                objectType?: string;
                name?: string;
                mbox?: string;
                mbox_sha1sum?: string;
                openid?: string;
                account?: {
                    /** @description An IRI. */
                    homePage: string;
                    name: string;
                };
            }[];
        };
        /**
         * Statement
         * @description xAPI, Data 2.4.
         */
        Statement: {
            actor: components["schemas"]["Actor"];
            verb: {
                /** @description An IRI. */
                id: string;
                /** @description Texts by language tag. */
                display?: {
                    [key: string]: string;
                };
            };
            /** @description What the statement is about; usually an activity. */
            object: {
                /** @description `Activity` (default), `Agent`, `Group`, `StatementRef` or `SubStatement`. */
                objectType?: string;
                /** @description IRI of the activity, or ID of the statement. */
                id?: string;
                definition?: {
                    /** @description Texts by language tag. */
                    name?: {
                        [key: string]: string;
                    };
                    /** @description Texts by language tag. */
                    description?: {
                        [key: string]: string;
                    };
                    /** @description An IRI. */
                    type?: string;
                    /** @description An IRI. */
                    moreInfo?: string;
                    interactionType?: string;
                    correctResponsesPattern?: string[];
                    /** @description Values by IRI. */
                    extensions?: {
                        [key: string]: unknown;
                    };
                } & {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            };
            /** @description A UUID. Choose one yourself, so that repeating the request is safe. */
            id?: string;
            result?: {
                score?: {
                    scaled?: number;
                    raw?: number;
                    min?: number;
                    max?: number;
                };
                success?: boolean;
                completion?: boolean;
                response?: string;
                /** @description ISO 8601. */
                duration?: string;
                /** @description Values by IRI. */
                extensions?: {
                    [key: string]: unknown;
                };
            };
            context?: {
                /** @description A UUID. Lectern uses the EnrollID. */
                registration?: string;
                instructor?: components["schemas"]["Actor"];
                team?: components["schemas"]["Actor"];
                contextActivities?: {
                    parent?: ({
                        /** @description An IRI. */
                        id: string;
                    } & {
                        [key: string]: unknown;
                    })[];
                    grouping?: ({
                        /** @description An IRI. */
                        id: string;
                    } & {
                        [key: string]: unknown;
                    })[];
                    category?: ({
                        /** @description An IRI. */
                        id: string;
                    } & {
                        [key: string]: unknown;
                    })[];
                    other?: ({
                        /** @description An IRI. */
                        id: string;
                    } & {
                        [key: string]: unknown;
                    })[];
                };
                revision?: string;
                platform?: string;
                language?: string;
                statement?: {
                    /** @description `StatementRef`. */
                    objectType: string;
                    id: string;
                };
                /** @description Values by IRI. */
                extensions?: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            };
            /** @description When the experience happened. Default: when the statement was stored. */
            timestamp?: string;
            /** @description When the statement was stored. Set by the LRS. */
            stored?: string;
            authority?: components["schemas"]["Actor"];
            version?: string;
            attachments?: {
                /** @description An IRI. */
                usageType: string;
                /** @description Texts by language tag. */
                display: {
                    [key: string]: string;
                };
                /** @description Texts by language tag. */
                description?: {
                    [key: string]: string;
                };
                contentType: string;
                length: number;
                sha2: string;
                /** @description An IRI. */
                fileUrl?: string;
            }[];
        };
        /** StatementResult */
        StatementResult: {
            statements: components["schemas"]["Statement"][];
            /** @description Path of the next page; empty on the last page. A page can be short, or even empty, although another page follows. */
            more: string;
        };
        /** Person */
        Person: {
            /** @enum {string} */
            objectType: "Person";
        } & {
            [key: string]: unknown;
        };
        /** Activity */
        Activity: {
            /** @enum {string} */
            objectType: "Activity";
            id: string;
        } & {
            [key: string]: unknown;
        };
        /** About */
        About: {
            version: string[];
        };
        /** Waiver */
        Waiver: {
            /** @description The AU, as in `Units` of the release. */
            UnitID: string;
            /** @description Included in the statement about the waiver. cmi5 suggests "Tested Out", "Equivalent AU", "Equivalent Outside Activity" and "Administrative". */
            Reason: string;
        };
        /** Preview */
        Preview: {
            /** @description Plays the course and records nothing. Accepts `&returnURL=` like a LaunchURL. Anyone holding the link can see the course. */
            PreviewURL: string;
            /**
             * Format: date-time
             * @description PreviewURL can be opened until this time, 15 minutes after the request. An opened preview ends two hours after the request.
             */
            ExpiresAt: string;
        };
        /**
         * Clock
         * @description The clock of a test tenant.
         */
        Clock: {
            /**
             * Format: date-time
             * @description The tenant's time. It continues to run.
             */
            Now: string;
        };
        /** ClockMove */
        ClockMove: {
            /**
             * @description How far to move the clock forward, as an ISO 8601 duration such as P30D.
             * @example P30D
             */
            Advance: string;
        };
        /**
         * Play
         * @description The result that the robot reports.
         */
        Play: {
            /**
             * @description What each unit reports. A web page reports only its completion: `passed` means completed, and `failed` means incomplete. A cmi5 AU reports `passed` and `completed` for `passed`, and only `failed` or `completed` for these.
             * @enum {string}
             */
            Status: "passed" | "failed" | "completed" | "incomplete";
            /** @description The score of each unit. A mastery score in the package decides whether it is passed. cmi5 AUs report a score only with `passed` and `failed`. */
            Score?: number;
        };
        /** Receipt */
        Receipt: {
            /** @description Number of the commit; 0 if there has been no commit. */
            Number: number;
            /** @description Status of the enrolment. */
            Status: string;
            /** @enum {string} */
            Completion: "unknown" | "incomplete" | "completed";
            /** @enum {string} */
            Success: "unknown" | "passed" | "failed";
            /** @description 0–100. */
            Score: number | null;
            /** @description 0–100. */
            Progress: number;
            /**
             * @description Why the session has ended; null if it is still open.
             * @enum {string|null}
             */
            Ended: "enrolment_withdrawn" | "user_disabled" | "access_expired" | "tenant_suspended" | "session_superseded" | "session_ended" | null;
            /**
             * @description The result counts, but not all of the run-time data was stored, because a unit or all units together would exceed their limits.
             * @enum {string}
             */
            Warning?: "data_not_stored";
            /** @description In a preview: send it with the next commit. */
            Preview?: string;
        };
        /** PlayerSession */
        PlayerSession: {
            /** @description The path segment for the following requests: `/play/{Session}/commit`, `/play/{Session}/content/…`. */
            Session: string;
            /**
             * @description In a preview and in a review, nothing is recorded.
             * @enum {string}
             */
            Mode: "normal" | "preview" | "review";
            /** @description Number of this launch of the enrolment. The bookmark of the launch with the highest number is kept. */
            Launch: number;
            /** @description Number of the next commit. All launches of an enrolment share one sequence. */
            NextCommit: number;
            /** @description Empty in a preview. */
            EnrollID: string;
            CourseTitle: string;
            /** @description The language of the course. */
            Language: string | null;
            /** @description The tenant's branding. All members are null if there is none. */
            Branding: {
                /** @example Acme Ltd */
                Name: string | null;
                /**
                 * @description The language of emails to users and, by default, of the pages with the branding of the tenant.
                 * @enum {string|null}
                 */
                Language: "en" | "de" | "fr" | null;
                /**
                 * @description The colour of buttons, links and progress bars, as #rrggbb.
                 * @example #0057b8
                 */
                Colour: string | null;
                /** @description The colour on light pages, with the contrast that WCAG 2.2 AA requires. */
                Light: {
                    /**
                     * @description For buttons: `Colour`, unless it would be hard to see on the page.
                     * @example #0057b8
                     */
                    Fill: string;
                    /**
                     * @description For text on `Fill`: white or black, at least 4.5:1.
                     * @example #ffffff
                     */
                    OnFill: string;
                    /**
                     * @description A tint for backgrounds.
                     * @example #e0ebf6
                     */
                    Soft: string;
                    /**
                     * @description For links and progress bars: at least 4.5:1 on the page and on `Soft`.
                     * @example #0057b8
                     */
                    Text: string;
                } | null;
                /** @description The colour on dark pages. */
                Dark: {
                    /**
                     * @description For buttons: `Colour`, unless it would be hard to see on the page.
                     * @example #0057b8
                     */
                    Fill: string;
                    /**
                     * @description For text on `Fill`: white or black, at least 4.5:1.
                     * @example #ffffff
                     */
                    OnFill: string;
                    /**
                     * @description A tint for backgrounds.
                     * @example #e0ebf6
                     */
                    Soft: string;
                    /**
                     * @description For links and progress bars: at least 4.5:1 on the page and on `Soft`.
                     * @example #0057b8
                     */
                    Text: string;
                } | null;
                /** @description `/play/{Session}/logo`; null if there is no logo. */
                LogoPath: string | null;
            };
            Learner: {
                ID: string;
                Name: string;
            };
            /** @enum {string} */
            Standard: "scorm12" | "scorm2004-2nd" | "scorm2004-3rd" | "scorm2004-4th" | "cmi5" | "xapi" | "aicc" | "web";
            /** @description The units of the course, with their sequencing rules. */
            Tree: {
                [key: string]: unknown;
            };
            /** @description `/play/{Session}/content/` for a package; null for a web course hosted elsewhere, whose unit has an absolute `Href`. */
            ContentPath: string | null;
            /** @description The initial run-time data of each unit, by UnitID. */
            Data: {
                [key: string]: unknown;
            };
            /** @description The recorded results of each unit, by UnitID. */
            Evidence: {
                [key: string]: unknown;
            };
            /** @description The activity tree that the page stored last. */
            TreeState: string | null;
            /** @description SCORM 2004: the global objectives (`globals`) and shared data (`buckets`) of the learner's other courses, as pairs of identifier and value. */
            Shared: {
                [key: string]: unknown;
            };
            LastUnitID: string | null;
            /** @description The URL to open when the learner leaves; if null, the page shows what was saved. */
            ReturnURL: string | null;
            Receipt: components["schemas"]["Receipt"];
        };
        /** Commit */
        Commit: {
            /** @description Increases by one with each commit of a launch. The server stores each number once; repeating a commit returns the state again and changes nothing. A number that another commit has used, or that is more than 1,000 ahead, gets 409 `commit_number_ahead` with `Expected`. */
            Number: number;
            UnitID: string;
            /** @description The complete run-time data of the unit, as a flat object. */
            Data: {
                [key: string]: string;
            };
            /** @description SCORM 2004: the activity tree as serialised by the page; returned at the next launch. */
            Tree?: string;
            /** @description SCORM 2004: the rollup of the whole course by the sequencing engine. */
            Root?: {
                /** @enum {string} */
                Completion: "unknown" | "incomplete" | "completed";
                /** @enum {string} */
                Success: "unknown" | "passed" | "failed";
                Score: number | null;
                Progress: number | null;
            };
            /** @description true if the data is too large to send. `Data` then has only the elements on which results depend, and the data stored before is kept. */
            DataOmitted?: boolean;
            /** @description Values that the content set but that were not accepted. The timeline shows them. */
            Refused?: {
                Element: string;
                /** @description Its beginning, if it is longer. */
                Value: string;
                /** @enum {string} */
                Problem: "undefined" | "read only" | "write only" | "keyword" | "not initialised" | "no children" | "no count" | "no version" | "no such member" | "out of order" | "dependency" | "not unique" | "wrong type" | "out of range" | "too long" | "no space";
            }[];
            /** @description In a preview: the value from the last receipt, because nothing is stored on the server. */
            Preview?: string;
            /** @description true in the last commit, when the learner leaves and the session ends. */
            Exit?: boolean;
        };
        /** AuOpening */
        AuOpening: {
            UnitID: string;
            /**
             * @description By default `Review` if the unit is completed and passed, `Normal` otherwise.
             * @enum {string}
             */
            LaunchMode?: "Normal" | "Browse" | "Review";
        };
        /** OpenedUnit */
        OpenedUnit: {
            /** Format: uuid */
            SessionID: string;
            /** @description The unit's page with its launch parameters. */
            URL: string;
            /** @description true if the unit must be opened in its own window. */
            OwnWindow: boolean;
            /** @enum {string} */
            LaunchMode: "Normal" | "Browse" | "Review";
        };
        /** Results */
        Results: {
            Receipt: components["schemas"]["Receipt"];
            /** @description The recorded results of each unit, by UnitID. */
            Evidence: {
                [key: string]: unknown;
            };
            /** @description The latest report of this launch that was refused. */
            Refused: {
                UnitID: string;
                /** @description The error code. */
                Code: string;
            } | null;
        };
        /** AuToken */
        AuToken: {
            /** @description For HTTP Basic authentication at the LRS. */
            "auth-token"?: string;
            /**
             * @description 1: the token was already used, or the session has ended. 2: no access.
             * @enum {string}
             */
            "error-code"?: "1" | "2";
            "error-text"?: string;
        };
    };
    responses: {
        /** @description What is wrong, and what to do. */
        Problem: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `payload_too_large`: The request body is too large. */
        payload_too_large: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "payload_too_large";
                };
            };
        };
        /** @description `unsupported_media_type`: The content type is not supported. */
        unsupported_media_type: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "unsupported_media_type";
                };
            };
        };
        /** @description `validation_failed`: A value is not valid. */
        validation_failed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "validation_failed";
                };
            };
        };
        /** @description `too_many_requests`: Too many requests. */
        too_many_requests: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "too_many_requests";
                };
            };
        };
        /** @description `internal_error`: Something went wrong on our side. */
        internal_error: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "internal_error";
                };
            };
        };
        /** @description `unavailable`: The service is temporarily unavailable. */
        unavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "unavailable";
                };
            };
        };
        /** @description `malformed_request`: The request could not be read. `session_ambiguous`: The browser sent several session cookies. `tenant_required`: No tenant was specified. */
        "malformed_request.session_ambiguous.tenant_required": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "malformed_request" | "session_ambiguous" | "tenant_required";
                };
            };
        };
        /** @description `unauthorized`: No valid credentials were sent. `signed_out`: Nobody is signed in. */
        "unauthorized.signed_out": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "unauthorized" | "signed_out";
                };
            };
        };
        /** @description `scope_missing`: The key lacks a scope. `session_required`: Only a signed-in person may do this. `own_only`: Learners can only access their own data. `passkey_required`: The session needs a passkey. `cross_site`: The request came from another origin. `tenant_not_allowed`: Only the operator can specify another tenant. `tenant_suspended`: The tenant is suspended. */
        "scope_missing.session_required.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "scope_missing" | "session_required" | "own_only" | "passkey_required" | "cross_site" | "tenant_not_allowed" | "tenant_suspended";
                };
            };
        };
        /** @description `user_not_found`: The user does not exist. `tenant_not_found`: The tenant does not exist. */
        "user_not_found.tenant_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_not_found" | "tenant_not_found";
                };
            };
        };
        /** @description `in_progress`: The same request is still in progress. `key_limit`: There are too many API keys. */
        "in_progress.key_limit": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "in_progress" | "key_limit";
                };
            };
        };
        /** @description `validation_failed`: A value is not valid. `unknown_field`: The field is unknown. `idempotency_key_reused`: The Idempotency-Key belongs to another request. */
        "validation_failed.unknown_field.idempotency_key_reused": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "validation_failed" | "unknown_field" | "idempotency_key_reused";
                };
            };
        };
        /** @description `tenant_not_found`: The tenant does not exist. */
        tenant_not_found: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "tenant_not_found";
                };
            };
        };
        /** @description `validation_failed`: A value is not valid. `unknown_field`: The field is unknown. */
        "validation_failed.unknown_field": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "validation_failed" | "unknown_field";
                };
            };
        };
        /** @description `tenant_not_found`: The tenant does not exist. `key_not_found`: The key does not exist. */
        "tenant_not_found.key_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "tenant_not_found" | "key_not_found";
                };
            };
        };
        /** @description `scope_missing`: The key lacks a scope. `own_only`: Learners can only access their own data. `passkey_required`: The session needs a passkey. `cross_site`: The request came from another origin. `tenant_not_allowed`: Only the operator can specify another tenant. `tenant_suspended`: The tenant is suspended. */
        "scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "scope_missing" | "own_only" | "passkey_required" | "cross_site" | "tenant_not_allowed" | "tenant_suspended";
                };
            };
        };
        /** @description `user_exists`: The user already exists with different data. `in_progress`: The same request is still in progress. */
        "user_exists.in_progress": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_exists" | "in_progress";
                };
            };
        };
        /** @description `validation_failed`: A value is not valid. `unknown_field`: The field is unknown. `idempotency_key_reused`: The Idempotency-Key belongs to another request. `password_not_hashed`: The password is not hashed as declared. */
        "validation_failed.unknown_field.idempotency_key_reused.password_not_hashed": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "validation_failed" | "unknown_field" | "idempotency_key_reused" | "password_not_hashed";
                };
            };
        };
        /** @description `too_many_requests`: Too many requests. `login_throttled`: Too many wrong passwords. */
        "too_many_requests.login_throttled": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "too_many_requests" | "login_throttled";
                };
            };
        };
        /** @description `validation_failed`: A value is not valid. `unknown_field`: The field is unknown. `login_id_immutable`: A LoginID cannot be changed. `password_not_hashed`: The password is not hashed as declared. */
        "validation_failed.unknown_field.login_id_immutable.password_not_hashed": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "validation_failed" | "unknown_field" | "login_id_immutable" | "password_not_hashed";
                };
            };
        };
        /** @description `touched`: The record is too old, or has been changed or used. */
        touched: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "touched";
                };
            };
        };
        /** @description `in_progress`: The same request is still in progress. */
        in_progress: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "in_progress";
                };
            };
        };
        /** @description `validation_failed`: A value is not valid. `unknown_field`: The field is unknown. `password_not_hashed`: The password is not hashed as declared. */
        "validation_failed.unknown_field.password_not_hashed": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "validation_failed" | "unknown_field" | "password_not_hashed";
                };
            };
        };
        /** @description `user_disabled`: The user is disabled. `in_progress`: The same request is still in progress. */
        "user_disabled.in_progress": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_disabled" | "in_progress";
                };
            };
        };
        /** @description `user_not_found`: The user does not exist. `tenant_not_found`: The tenant does not exist. `invitation_not_found`: The invitation does not exist. */
        "user_not_found.tenant_not_found.invitation_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_not_found" | "tenant_not_found" | "invitation_not_found";
                };
            };
        };
        /** @description `invitation_ended`: The invitation no longer works. */
        invitation_ended: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "invitation_ended";
                };
            };
        };
        /** @description `validation_failed`: A value is not valid. `idempotency_key_reused`: The Idempotency-Key belongs to another request. */
        "validation_failed.idempotency_key_reused": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "validation_failed" | "idempotency_key_reused";
                };
            };
        };
        /** @description `user_not_found`: The user does not exist. `tenant_not_found`: The tenant does not exist. `mail_not_found`: The email does not exist. */
        "user_not_found.tenant_not_found.mail_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_not_found" | "tenant_not_found" | "mail_not_found";
                };
            };
        };
        /** @description `user_not_found`: The user does not exist. `course_not_found`: The course does not exist. `option_not_found`: The enrolment option does not exist. `tenant_not_found`: The tenant does not exist. */
        "user_not_found.course_not_found.option_not_found.tenant_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_not_found" | "course_not_found" | "option_not_found" | "tenant_not_found";
                };
            };
        };
        /** @description `user_disabled`: The user is disabled. `course_retired`: The course is retired. `already_enrolled`: The user is already enrolled. `too_many_enrolments`: The user has too many enrolments. `no_seats_left`: The enrolment option has no seats left. `in_progress`: The same request is still in progress. */
        "user_disabled.course_retired.already_enrolled.too_many_enrolments.no_seats_left.in_progress": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_disabled" | "course_retired" | "already_enrolled" | "too_many_enrolments" | "no_seats_left" | "in_progress";
                };
            };
        };
        /** @description `user_not_found`: The user does not exist. `course_not_found`: The course does not exist. `tenant_not_found`: The tenant does not exist. */
        "user_not_found.course_not_found.tenant_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_not_found" | "course_not_found" | "tenant_not_found";
                };
            };
        };
        /** @description `user_disabled`: The user is disabled. `multiple_enrolment_options`: The course has several enrolment options. `no_enrolment_option`: The course has no enrolment option for this user. `course_retired`: The course is retired. `already_enrolled`: The user is already enrolled. `too_many_enrolments`: The user has too many enrolments. `no_seats_left`: The enrolment option has no seats left. `in_progress`: The same request is still in progress. */
        "user_disabled.multiple_enrolment_options.no_enrolment_option.course_retired.already_enrolled.too_many_enrolments.no_seats_left.in_progress": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_disabled" | "multiple_enrolment_options" | "no_enrolment_option" | "course_retired" | "already_enrolled" | "too_many_enrolments" | "no_seats_left" | "in_progress";
                };
            };
        };
        /** @description `enrolment_not_found`: The enrolment does not exist. `tenant_not_found`: The tenant does not exist. */
        "enrolment_not_found.tenant_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "enrolment_not_found" | "tenant_not_found";
                };
            };
        };
        /** @description `already_enrolled`: The user is already enrolled. `no_seats_left`: The enrolment option has no seats left. `touched`: The record is too old, or has been changed or used. */
        "already_enrolled.no_seats_left.touched": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "already_enrolled" | "no_seats_left" | "touched";
                };
            };
        };
        /** @description `user_not_found`: The user does not exist. `enrolment_not_found`: The enrolment does not exist. `tenant_not_found`: The tenant does not exist. */
        "user_not_found.enrolment_not_found.tenant_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_not_found" | "enrolment_not_found" | "tenant_not_found";
                };
            };
        };
        /** @description `not_resettable`: The enrolment cannot be reset. `in_progress`: The same request is still in progress. */
        "not_resettable.in_progress": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "not_resettable" | "in_progress";
                };
            };
        };
        /** @description `course_retired`: The course is retired. `in_progress`: The same request is still in progress. */
        "course_retired.in_progress": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "course_retired" | "in_progress";
                };
            };
        };
        /** @description `validation_failed`: A value is not valid. `key_mistyped`: The enrolment key is mistyped. */
        "validation_failed.key_mistyped": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "validation_failed" | "key_mistyped";
                };
            };
        };
        /** @description `key_redeemed`: The enrolment key has been redeemed. */
        key_redeemed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "key_redeemed";
                };
            };
        };
        /** @description `user_not_found`: The user does not exist. `course_not_found`: The course does not exist. `option_not_found`: The enrolment option does not exist. `tenant_not_found`: The tenant does not exist. `key_not_found`: The key does not exist. */
        "user_not_found.course_not_found.option_not_found.tenant_not_found.key_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_not_found" | "course_not_found" | "option_not_found" | "tenant_not_found" | "key_not_found";
                };
            };
        };
        /** @description `user_disabled`: The user is disabled. `course_retired`: The course is retired. `already_enrolled`: The user is already enrolled. `too_many_enrolments`: The user has too many enrolments. `no_seats_left`: The enrolment option has no seats left. `in_progress`: The same request is still in progress. `key_redeemed`: The enrolment key has been redeemed. `key_revoked`: The enrolment key was revoked. `key_expired`: The enrolment key has expired. `key_not_yet_valid`: The enrolment key is not valid yet. `key_of_other_user`: The enrolment key is for another user. `key_of_other_group`: The enrolment key is for another group. */
        "user_disabled.course_retired.already_enrolled.too_many_enrolments.no_seats_left.in_progress.key_redeemed.key_revoked.key_expired.key_not_yet_valid.key_of_other_user.key_of_other_group": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_disabled" | "course_retired" | "already_enrolled" | "too_many_enrolments" | "no_seats_left" | "in_progress" | "key_redeemed" | "key_revoked" | "key_expired" | "key_not_yet_valid" | "key_of_other_user" | "key_of_other_group";
                };
            };
        };
        /** @description `validation_failed`: A value is not valid. `key_mistyped`: The enrolment key is mistyped. `unknown_field`: The field is unknown. `idempotency_key_reused`: The Idempotency-Key belongs to another request. */
        "validation_failed.key_mistyped.unknown_field.idempotency_key_reused": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "validation_failed" | "key_mistyped" | "unknown_field" | "idempotency_key_reused";
                };
            };
        };
        /** @description `too_many_requests`: Too many requests. `key_throttled`: Too many unknown enrolment keys. */
        "too_many_requests.key_throttled": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "too_many_requests" | "key_throttled";
                };
            };
        };
        /** @description `malformed_request`: The request could not be read. */
        malformed_request: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "malformed_request";
                };
            };
        };
        /** @description `signed_out`: Nobody is signed in. `sign_in_failed`: Sign-in failed. */
        "signed_out.sign_in_failed": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "signed_out" | "sign_in_failed";
                };
            };
        };
        /** @description `cross_site`: The request came from another origin. `tenant_suspended`: The tenant is suspended. */
        "cross_site.tenant_suspended": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "cross_site" | "tenant_suspended";
                };
            };
        };
        /** @description `malformed_request`: The request could not be read. `session_ambiguous`: The browser sent several session cookies. */
        "malformed_request.session_ambiguous": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "malformed_request" | "session_ambiguous";
                };
            };
        };
        /** @description `signed_out`: Nobody is signed in. */
        signed_out: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "signed_out";
                };
            };
        };
        /** @description `cross_site`: The request came from another origin. */
        cross_site: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "cross_site";
                };
            };
        };
        /** @description `mail_not_configured`: Email is not configured. */
        mail_not_configured: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "mail_not_configured";
                };
            };
        };
        /** @description `reset_ended`: The link to reset the password no longer works. */
        reset_ended: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "reset_ended";
                };
            };
        };
        /** @description `passkey_required`: The session needs a passkey. `cross_site`: The request came from another origin. `tenant_suspended`: The tenant is suspended. */
        "passkey_required.cross_site.tenant_suspended": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "passkey_required" | "cross_site" | "tenant_suspended";
                };
            };
        };
        /** @description `validation_failed`: A value is not valid. `unknown_field`: The field is unknown. `password_wrong`: The current password is wrong. `password_not_hashed`: The password is not hashed as declared. */
        "validation_failed.unknown_field.password_wrong.password_not_hashed": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "validation_failed" | "unknown_field" | "password_wrong" | "password_not_hashed";
                };
            };
        };
        /** @description `own_only`: Learners can only access their own data. `passkey_required`: The session needs a passkey. `cross_site`: The request came from another origin. `tenant_suspended`: The tenant is suspended. */
        "own_only.passkey_required.cross_site.tenant_suspended": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "own_only" | "passkey_required" | "cross_site" | "tenant_suspended";
                };
            };
        };
        /** @description `passkeys_unavailable`: Passkeys do not work at this address. */
        passkeys_unavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "passkeys_unavailable";
                };
            };
        };
        /** @description `own_only`: Learners can only access their own data. `cross_site`: The request came from another origin. `tenant_suspended`: The tenant is suspended. */
        "own_only.cross_site.tenant_suspended": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "own_only" | "cross_site" | "tenant_suspended";
                };
            };
        };
        /** @description `validation_failed`: A value is not valid. `unknown_field`: The field is unknown. `passkey_rejected`: The passkey was rejected. */
        "validation_failed.unknown_field.passkey_rejected": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "validation_failed" | "unknown_field" | "passkey_rejected";
                };
            };
        };
        /** @description `passkey_limit`: There are too many passkeys. `passkeys_unavailable`: Passkeys do not work at this address. */
        "passkey_limit.passkeys_unavailable": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "passkey_limit" | "passkeys_unavailable";
                };
            };
        };
        /** @description `passkey_not_found`: The passkey does not exist. */
        passkey_not_found: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "passkey_not_found";
                };
            };
        };
        /** @description `last_passkey`: The last passkey cannot be removed. */
        last_passkey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "last_passkey";
                };
            };
        };
        /** @description `scope_missing`: The key lacks a scope. `operator_only`: Only the operator may do this. `own_only`: Learners can only access their own data. `passkey_required`: The session needs a passkey. `cross_site`: The request came from another origin. `tenant_suspended`: The tenant is suspended. */
        "scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "scope_missing" | "operator_only" | "own_only" | "passkey_required" | "cross_site" | "tenant_suspended";
                };
            };
        };
        /** @description `course_not_found`: The course does not exist. */
        course_not_found: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "course_not_found";
                };
            };
        };
        /** @description `course_in_use`: The course has enrolments. */
        course_in_use: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "course_in_use";
                };
            };
        };
        /** @description `option_not_found`: The enrolment option does not exist. */
        option_not_found: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "option_not_found";
                };
            };
        };
        /** @description `option_in_use`: The enrolment option has enrolments. */
        option_in_use: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "option_in_use";
                };
            };
        };
        /** @description `payload_too_large`: The request body is too large. `package_too_large`: The archive is too large. */
        "payload_too_large.package_too_large": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "payload_too_large" | "package_too_large";
                };
            };
        };
        /** @description `validation_failed`: A value is not valid. `unknown_field`: The field is unknown. `package_not_zip`: The file is not a zip archive. `package_unsafe`: The archive is unsafe. `package_unreadable`: The package could not be read. `package_invalid`: The package cannot be played. `package_unsupported`: The package follows a standard that is not supported yet. */
        "validation_failed.unknown_field.package_not_zip.package_unsafe.package_unreadable.package_invalid.package_unsupported": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "validation_failed" | "unknown_field" | "package_not_zip" | "package_unsafe" | "package_unreadable" | "package_invalid" | "package_unsupported";
                };
            };
        };
        /** @description `course_not_playable`: The course has no content yet. */
        course_not_playable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "course_not_playable";
                };
            };
        };
        /** @description `course_not_found`: The course does not exist. `release_not_found`: The release does not exist. */
        "course_not_found.release_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "course_not_found" | "release_not_found";
                };
            };
        };
        /** @description `tenant_exists`: The tenant already exists with different data. `tenant_being_deleted`: The tenant is being deleted. `in_progress`: The same request is still in progress. `passkeys_unavailable`: Passkeys do not work at this address. */
        "tenant_exists.tenant_being_deleted.in_progress.passkeys_unavailable": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "tenant_exists" | "tenant_being_deleted" | "in_progress" | "passkeys_unavailable";
                };
            };
        };
        /** @description `not_a_test_tenant`: The tenant is not a test tenant. `passkeys_unavailable`: Passkeys do not work at this address. */
        "not_a_test_tenant.passkeys_unavailable": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "not_a_test_tenant" | "passkeys_unavailable";
                };
            };
        };
        /** @description `tenant_not_suspended`: The tenant is not suspended. */
        tenant_not_suspended: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "tenant_not_suspended";
                };
            };
        };
        /** @description `key_not_found`: The key does not exist. */
        key_not_found: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "key_not_found";
                };
            };
        };
        /** @description `not_found`: There is nothing at this URL. */
        not_found: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "not_found";
                };
            };
        };
        /** @description `mail_not_configured`: Email is not configured. `in_progress`: The same request is still in progress. `schedule_limit`: There are too many scheduled reports. */
        "mail_not_configured.in_progress.schedule_limit": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "mail_not_configured" | "in_progress" | "schedule_limit";
                };
            };
        };
        /** @description `tenant_not_found`: The tenant does not exist. `schedule_not_found`: The scheduled report does not exist. */
        "tenant_not_found.schedule_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "tenant_not_found" | "schedule_not_found";
                };
            };
        };
        /** @description `user_not_found`: The user does not exist. `tenant_not_found`: The tenant does not exist. `schedule_not_found`: The scheduled report does not exist. */
        "user_not_found.tenant_not_found.schedule_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_not_found" | "tenant_not_found" | "schedule_not_found";
                };
            };
        };
        /** @description `in_progress`: The same request is still in progress. `webhook_limit`: There are too many webhook endpoints. */
        "in_progress.webhook_limit": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "in_progress" | "webhook_limit";
                };
            };
        };
        /** @description `validation_failed`: A value is not valid. `unknown_field`: The field is unknown. `idempotency_key_reused`: The Idempotency-Key belongs to another request. `webhook_address_refused`: The URL of the webhook endpoint is not allowed. */
        "validation_failed.unknown_field.idempotency_key_reused.webhook_address_refused": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "validation_failed" | "unknown_field" | "idempotency_key_reused" | "webhook_address_refused";
                };
            };
        };
        /** @description `tenant_not_found`: The tenant does not exist. `webhook_not_found`: The webhook endpoint does not exist. */
        "tenant_not_found.webhook_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "tenant_not_found" | "webhook_not_found";
                };
            };
        };
        /** @description `validation_failed`: A value is not valid. `unknown_field`: The field is unknown. `webhook_address_refused`: The URL of the webhook endpoint is not allowed. */
        "validation_failed.unknown_field.webhook_address_refused": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "validation_failed" | "unknown_field" | "webhook_address_refused";
                };
            };
        };
        /** @description `user_not_found`: The user does not exist. `tenant_not_found`: The tenant does not exist. `webhook_not_found`: The webhook endpoint does not exist. */
        "user_not_found.tenant_not_found.webhook_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_not_found" | "tenant_not_found" | "webhook_not_found";
                };
            };
        };
        /** @description `malformed_request`: The request could not be read. `xapi_invalid`: The request does not conform to xAPI. `session_ambiguous`: The browser sent several session cookies. `tenant_required`: No tenant was specified. */
        "malformed_request.xapi_invalid.session_ambiguous.tenant_required": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "malformed_request" | "xapi_invalid" | "session_ambiguous" | "tenant_required";
                };
            };
        };
        /** @description `scope_missing`: The key lacks a scope. `own_only`: Learners can only access their own data. `passkey_required`: The session needs a passkey. `cross_site`: The request came from another origin. `tenant_not_allowed`: Only the operator can specify another tenant. `cmi5_violation`: The rules of cmi5 do not allow this. `tenant_suspended`: The tenant is suspended. */
        "scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "scope_missing" | "own_only" | "passkey_required" | "cross_site" | "tenant_not_allowed" | "cmi5_violation" | "tenant_suspended";
                };
            };
        };
        /** @description `tenant_not_found`: The tenant does not exist. `statement_not_found`: The statement does not exist. */
        "tenant_not_found.statement_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "tenant_not_found" | "statement_not_found";
                };
            };
        };
        /** @description `statement_conflict`: The ID belongs to another statement. `storage_limit`: The enrolment has used up its storage. */
        "statement_conflict.storage_limit": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "statement_conflict" | "storage_limit";
                };
            };
        };
        /** @description `in_progress`: The same request is still in progress. `statement_conflict`: The ID belongs to another statement. `storage_limit`: The enrolment has used up its storage. */
        "in_progress.statement_conflict.storage_limit": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "in_progress" | "statement_conflict" | "storage_limit";
                };
            };
        };
        /** @description `tenant_not_found`: The tenant does not exist. `document_not_found`: The document does not exist. */
        "tenant_not_found.document_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "tenant_not_found" | "document_not_found";
                };
            };
        };
        /** @description `document_conflict`: The document already exists. `document_limit`: There are too many documents. `storage_limit`: The enrolment has used up its storage. */
        "document_conflict.document_limit.storage_limit": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "document_conflict" | "document_limit" | "storage_limit";
                };
            };
        };
        /** @description `precondition_failed`: The document has changed. */
        precondition_failed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "precondition_failed";
                };
            };
        };
        /** @description `in_progress`: The same request is still in progress. `document_limit`: There are too many documents. `storage_limit`: The enrolment has used up its storage. */
        "in_progress.document_limit.storage_limit": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "in_progress" | "document_limit" | "storage_limit";
                };
            };
        };
        /** @description `not_waivable`: The unit cannot be waived. `in_progress`: The same request is still in progress. */
        "not_waivable.in_progress": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "not_waivable" | "in_progress";
                };
            };
        };
        /** @description `course_not_found`: The course does not exist. `release_not_found`: The release does not exist. `tenant_not_found`: The tenant does not exist. */
        "course_not_found.release_not_found.tenant_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "course_not_found" | "release_not_found" | "tenant_not_found";
                };
            };
        };
        /** @description `course_not_playable`: The course has no content yet. `in_progress`: The same request is still in progress. */
        "course_not_playable.in_progress": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "course_not_playable" | "in_progress";
                };
            };
        };
        /** @description `not_a_test_tenant`: The tenant is not a test tenant. */
        not_a_test_tenant: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "not_a_test_tenant";
                };
            };
        };
        /** @description `not_a_test_tenant`: The tenant is not a test tenant. `in_progress`: The same request is still in progress. */
        "not_a_test_tenant.in_progress": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "not_a_test_tenant" | "in_progress";
                };
            };
        };
        /** @description `scope_missing`: The key lacks a scope. `own_only`: Learners can only access their own data. `passkey_required`: The session needs a passkey. `cross_site`: The request came from another origin. `tenant_not_allowed`: Only the operator can specify another tenant. `tenant_suspended`: The tenant is suspended. `access_expired`: Access to the course has expired. `enrolment_withdrawn`: The enrolment was withdrawn. `launch_refused`: The course cannot be started. */
        "scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended.access_expired.enrolment_withdrawn.launch_refused": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "scope_missing" | "own_only" | "passkey_required" | "cross_site" | "tenant_not_allowed" | "tenant_suspended" | "access_expired" | "enrolment_withdrawn" | "launch_refused";
                };
            };
        };
        /** @description `user_disabled`: The user is disabled. `course_not_playable`: The course has no content yet. `not_a_test_tenant`: The tenant is not a test tenant. `in_progress`: The same request is still in progress. `storage_limit`: The enrolment has used up its storage. `session_superseded`: The course was opened elsewhere. */
        "user_disabled.course_not_playable.not_a_test_tenant.in_progress.storage_limit.session_superseded": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_disabled" | "course_not_playable" | "not_a_test_tenant" | "in_progress" | "storage_limit" | "session_superseded";
                };
            };
        };
        /** @description `session_ended`: The session has ended. `enrolment_erased`: The data about the learner was erased. */
        "session_ended.enrolment_erased": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "session_ended" | "enrolment_erased";
                };
            };
        };
        /** @description `tenant_suspended`: The tenant is suspended. `access_expired`: Access to the course has expired. `enrolment_withdrawn`: The enrolment was withdrawn. `launch_refused`: The course cannot be started. */
        "tenant_suspended.access_expired.enrolment_withdrawn.launch_refused": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "tenant_suspended" | "access_expired" | "enrolment_withdrawn" | "launch_refused";
                };
            };
        };
        /** @description `user_disabled`: The user is disabled. `course_not_playable`: The course has no content yet. `session_superseded`: The course was opened elsewhere. */
        "user_disabled.course_not_playable.session_superseded": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_disabled" | "course_not_playable" | "session_superseded";
                };
            };
        };
        /** @description `session_ended`: The session has ended. */
        session_ended: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "session_ended";
                };
            };
        };
        /** @description `wrong_host`: The host name does not serve this content. */
        wrong_host: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "wrong_host";
                };
            };
        };
        /** @description `tenant_suspended`: The tenant is suspended. `enrolment_withdrawn`: The enrolment was withdrawn. */
        "tenant_suspended.enrolment_withdrawn": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "tenant_suspended" | "enrolment_withdrawn";
                };
            };
        };
        /** @description `user_disabled`: The user is disabled. `course_not_playable`: The course has no content yet. `results_too_late`: The results arrived too late. `commit_number_ahead`: The commit number is taken or too far ahead. */
        "user_disabled.course_not_playable.results_too_late.commit_number_ahead": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_disabled" | "course_not_playable" | "results_too_late" | "commit_number_ahead";
                };
            };
        };
        /** @description `session_ended`: The session has ended. `session_exited`: The learner left the session. `enrolment_erased`: The data about the learner was erased. */
        "session_ended.session_exited.enrolment_erased": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "session_ended" | "session_exited" | "enrolment_erased";
                };
            };
        };
        /** @description `tenant_suspended`: The tenant is suspended. `access_expired`: Access to the course has expired. `enrolment_withdrawn`: The enrolment was withdrawn. */
        "tenant_suspended.access_expired.enrolment_withdrawn": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "tenant_suspended" | "access_expired" | "enrolment_withdrawn";
                };
            };
        };
        /** @description `user_disabled`: The user is disabled. `session_superseded`: The course was opened elsewhere. */
        "user_disabled.session_superseded": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user_disabled" | "session_superseded";
                };
            };
        };
        /** @description `range_not_satisfiable`: The requested range is beyond the end of the file. */
        range_not_satisfiable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "range_not_satisfiable";
                };
            };
        };
        /** @description `not_found`: There is nothing at this URL. `tenant_not_found`: The tenant does not exist. */
        "not_found.tenant_not_found": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "not_found" | "tenant_not_found";
                };
            };
        };
    };
    parameters: {
        /**
         * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
         * @example acme
         */
        Tenant: string;
        /**
         * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
         * @example order-4711
         */
        "Idempotency-Key": string;
        /**
         * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
         * @example 50
         */
        Limit: number;
        /** @description `NextCursor` of the previous page, an opaque string. */
        Cursor: string;
        /** @example 01994a5e-7c00-7000-8000-000000000003 */
        KeyID: string;
        /**
         * @description If true, the first page has a `Count` of the records that match the filters.
         * @example true
         */
        Count: boolean;
        /**
         * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
         * @example ada
         */
        LoginID: string;
        /**
         * @description Sort order. Default: oldest.
         * @example oldest
         */
        Order: "oldest" | "newest";
        /**
         * @description If true, the response says what would happen to each row, and nothing is changed.
         * @example true
         */
        Plan: boolean;
        /**
         * @description ID of the course. Chosen by the operator.
         * @example fire-safety
         */
        CourseID: string;
        /**
         * @description ID of the enrolment option, unique within its course. Chosen by the operator.
         * @example 30-days
         */
        DurationID: string;
        /**
         * @description Opaque ID of the enrolment.
         * @example 01994a5e-7c00-7000-8000-000000000001
         */
        EnrollID: string;
        /**
         * @description The key as typed. Case, hyphens and spaces are ignored; O is read as 0, I and L as 1.
         * @example F7K2-9XQM-4TRW-8HDN
         */
        Key: string;
        /** @example 01994a5e-7c00-7000-8000-000000000000 */
        PasskeyID: string;
        /**
         * @description Text to find in Title or CourseID, ignoring case.
         * @example ada
         */
        Search: string;
        /**
         * @description Number of a release of the course.
         * @example 1
         */
        Release: number;
        /**
         * @description The tenant.
         * @example acme
         */
        TenantID: string;
        /**
         * @description What each line covers. Default: course.
         * @example course
         */
        By: "course" | "group" | "course_and_group" | "total";
        /**
         * @description A group of users.
         * @example Engineering
         */
        GroupName: string;
        /**
         * @description The figures at the end of this day in UTC, such as 2026-01-31. Default: the latest figures.
         * @example 2026-01-31
         */
        AsOf: string;
        /** @example 01994a5e-7c00-7000-8000-000000000011 */
        ScheduleID: string;
        /** @example 01994a5e-7c00-7000-8000-000000000005 */
        WebhookID: string;
        /**
         * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
         * @example 2.0.0
         */
        "X-Experience-API-Version": string;
        /**
         * @description IRI of the activity.
         * @example https://courses.example.com/fire-safety
         */
        activityId: string;
        /**
         * @description JSON of an Agent or identified Group.
         * @example {"objectType":"Agent","account":{"homePage":"https://hr.example.com","name":"u-1001"}}
         */
        agent: string;
        /** @description UUID of the registration. */
        registration: string;
        /** @description Only the IDs of documents changed after this time. */
        since: string;
        /**
         * @description ID of the document.
         * @example resume
         */
        stateId: string;
        /**
         * @description ID of the document.
         * @example preferences
         */
        profileId: string;
        /**
         * @description `Session` from the response that opened the session.
         * @example eyJhbGciOiJkaXIifQ
         */
        token: string;
        "webhook-id": string;
        "webhook-timestamp": string;
        "webhook-signature": string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type TokenRequest = components['schemas']['TokenRequest'];
export type AccessToken = components['schemas']['AccessToken'];
export type TokenError = components['schemas']['TokenError'];
export type Problem = components['schemas']['Problem'];
export type NewKey = components['schemas']['NewKey'];
export type KeyWithSecret = components['schemas']['KeyWithSecret'];
export type Key = components['schemas']['Key'];
export type NewUser = components['schemas']['NewUser'];
export type User = components['schemas']['User'];
export type Group = components['schemas']['Group'];
export type UserChange = components['schemas']['UserChange'];
export type Erasure = components['schemas']['Erasure'];
export type CheckResult = components['schemas']['CheckResult'];
export type PasswordCheck = components['schemas']['PasswordCheck'];
export type InvitationRequest = components['schemas']['InvitationRequest'];
export type NewInvitation = components['schemas']['NewInvitation'];
export type Invitation = components['schemas']['Invitation'];
export type InvitationLink = components['schemas']['InvitationLink'];
export type Mail = components['schemas']['Mail'];
export type BounceReport = components['schemas']['BounceReport'];
export type RecordedBounce = components['schemas']['RecordedBounce'];
export type EnrolRequest = components['schemas']['EnrolRequest'];
export type Enrolment = components['schemas']['Enrolment'];
export type EnrolOption = components['schemas']['EnrolOption'];
export type Offer = components['schemas']['Offer'];
export type EnrolmentChange = components['schemas']['EnrolmentChange'];
export type Explanation = components['schemas']['Explanation'];
export type TimelineEntry = components['schemas']['TimelineEntry'];
export type UnitActivity = components['schemas']['UnitActivity'];
export type CourseInteraction = components['schemas']['CourseInteraction'];
export type CourseQuestion = components['schemas']['CourseQuestion'];
export type CourseQuestions = components['schemas']['CourseQuestions'];
export type Attempt = components['schemas']['Attempt'];
export type ResetRequest = components['schemas']['ResetRequest'];
export type NewEnrolmentKeys = components['schemas']['NewEnrolmentKeys'];
export type IssuedEnrolmentKeys = components['schemas']['IssuedEnrolmentKeys'];
export type EnrolmentKey = components['schemas']['EnrolmentKey'];
export type KeyRedemption = components['schemas']['KeyRedemption'];
export type CheckedEnrolmentKey = components['schemas']['CheckedEnrolmentKey'];
export type RedeemedEnrolmentKey = components['schemas']['RedeemedEnrolmentKey'];
export type SignInRequest = components['schemas']['SignInRequest'];
export type SignInLink = components['schemas']['SignInLink'];
export type PasswordFunction = components['schemas']['PasswordFunction'];
export type PasswordSignIn = components['schemas']['PasswordSignIn'];
export type PageBranding = components['schemas']['PageBranding'];
export type Session = components['schemas']['Session'];
export type InvitationToken = components['schemas']['InvitationToken'];
export type OpenInvitation = components['schemas']['OpenInvitation'];
export type InvitationAcceptance = components['schemas']['InvitationAcceptance'];
export type PasswordForgotten = components['schemas']['PasswordForgotten'];
export type OwnPasswordChange = components['schemas']['OwnPasswordChange'];
export type PasskeyPurpose = components['schemas']['PasskeyPurpose'];
export type PasskeyChallenge = components['schemas']['PasskeyChallenge'];
export type PasskeyAnswer = components['schemas']['PasskeyAnswer'];
export type Passkey = components['schemas']['Passkey'];
export type PasskeyList = components['schemas']['PasskeyList'];
export type NewPasskey = components['schemas']['NewPasskey'];
export type PasskeyName = components['schemas']['PasskeyName'];
export type Course = components['schemas']['Course'];
export type AuthoredCourse = components['schemas']['AuthoredCourse'];
export type CourseChange = components['schemas']['CourseChange'];
export type EnrolOptionChange = components['schemas']['EnrolOptionChange'];
export type Release = components['schemas']['Release'];
export type ReleaseChange = components['schemas']['ReleaseChange'];
export type ReleaseEffect = components['schemas']['ReleaseEffect'];
export type NewTenant = components['schemas']['NewTenant'];
export type Tenant = components['schemas']['Tenant'];
export type TenantChange = components['schemas']['TenantChange'];
export type TenantDeletion = components['schemas']['TenantDeletion'];
export type Branding = components['schemas']['Branding'];
export type BrandingChange = components['schemas']['BrandingChange'];
export type Settings = components['schemas']['Settings'];
export type SettingsChange = components['schemas']['SettingsChange'];
export type Event = components['schemas']['Event'];
export type Completion = components['schemas']['Completion'];
export type Access = components['schemas']['Access'];
export type ActivityPeriod = components['schemas']['ActivityPeriod'];
export type Day = components['schemas']['Day'];
export type Attention = components['schemas']['Attention'];
export type Overview = components['schemas']['Overview'];
export type NewReportSchedule = components['schemas']['NewReportSchedule'];
export type ReportSchedule = components['schemas']['ReportSchedule'];
export type ReportScheduleChange = components['schemas']['ReportScheduleChange'];
export type NewWebhook = components['schemas']['NewWebhook'];
export type WebhookWithSecret = components['schemas']['WebhookWithSecret'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookChange = components['schemas']['WebhookChange'];
export type Rotation = components['schemas']['Rotation'];
export type Delivery = components['schemas']['Delivery'];
export type Replay = components['schemas']['Replay'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type Actor = components['schemas']['Actor'];
export type Statement = components['schemas']['Statement'];
export type StatementResult = components['schemas']['StatementResult'];
export type Person = components['schemas']['Person'];
export type Activity = components['schemas']['Activity'];
export type About = components['schemas']['About'];
export type Waiver = components['schemas']['Waiver'];
export type Preview = components['schemas']['Preview'];
export type Clock = components['schemas']['Clock'];
export type ClockMove = components['schemas']['ClockMove'];
export type Play = components['schemas']['Play'];
export type Receipt = components['schemas']['Receipt'];
export type PlayerSession = components['schemas']['PlayerSession'];
export type Commit = components['schemas']['Commit'];
export type AuOpening = components['schemas']['AuOpening'];
export type OpenedUnit = components['schemas']['OpenedUnit'];
export type Results = components['schemas']['Results'];
export type AuToken = components['schemas']['AuToken'];
export type ResponseProblem = components['responses']['Problem'];
export type ResponsePayloadTooLarge = components['responses']['payload_too_large'];
export type ResponseUnsupportedMediaType = components['responses']['unsupported_media_type'];
export type ResponseValidationFailed = components['responses']['validation_failed'];
export type ResponseTooManyRequests = components['responses']['too_many_requests'];
export type ResponseInternalError = components['responses']['internal_error'];
export type ResponseUnavailable = components['responses']['unavailable'];
export type ResponseMalformedRequestSessionAmbiguousTenantRequired = components['responses']['malformed_request.session_ambiguous.tenant_required'];
export type ResponseUnauthorizedSignedOut = components['responses']['unauthorized.signed_out'];
export type ResponseScopeMissingSessionRequiredOwnOnlyPasskeyRequiredCrossSiteTenantNotAllowedTenantSuspended = components['responses']['scope_missing.session_required.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended'];
export type ResponseUserNotFoundTenantNotFound = components['responses']['user_not_found.tenant_not_found'];
export type ResponseInProgressKeyLimit = components['responses']['in_progress.key_limit'];
export type ResponseValidationFailedUnknownFieldIdempotencyKeyReused = components['responses']['validation_failed.unknown_field.idempotency_key_reused'];
export type ResponseTenantNotFound = components['responses']['tenant_not_found'];
export type ResponseValidationFailedUnknownField = components['responses']['validation_failed.unknown_field'];
export type ResponseTenantNotFoundKeyNotFound = components['responses']['tenant_not_found.key_not_found'];
export type ResponseScopeMissingOwnOnlyPasskeyRequiredCrossSiteTenantNotAllowedTenantSuspended = components['responses']['scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended'];
export type ResponseUserExistsInProgress = components['responses']['user_exists.in_progress'];
export type ResponseValidationFailedUnknownFieldIdempotencyKeyReusedPasswordNotHashed = components['responses']['validation_failed.unknown_field.idempotency_key_reused.password_not_hashed'];
export type ResponseTooManyRequestsLoginThrottled = components['responses']['too_many_requests.login_throttled'];
export type ResponseValidationFailedUnknownFieldLoginIdImmutablePasswordNotHashed = components['responses']['validation_failed.unknown_field.login_id_immutable.password_not_hashed'];
export type ResponseTouched = components['responses']['touched'];
export type ResponseInProgress = components['responses']['in_progress'];
export type ResponseValidationFailedUnknownFieldPasswordNotHashed = components['responses']['validation_failed.unknown_field.password_not_hashed'];
export type ResponseUserDisabledInProgress = components['responses']['user_disabled.in_progress'];
export type ResponseUserNotFoundTenantNotFoundInvitationNotFound = components['responses']['user_not_found.tenant_not_found.invitation_not_found'];
export type ResponseInvitationEnded = components['responses']['invitation_ended'];
export type ResponseValidationFailedIdempotencyKeyReused = components['responses']['validation_failed.idempotency_key_reused'];
export type ResponseUserNotFoundTenantNotFoundMailNotFound = components['responses']['user_not_found.tenant_not_found.mail_not_found'];
export type ResponseUserNotFoundCourseNotFoundOptionNotFoundTenantNotFound = components['responses']['user_not_found.course_not_found.option_not_found.tenant_not_found'];
export type ResponseUserDisabledCourseRetiredAlreadyEnrolledTooManyEnrolmentsNoSeatsLeftInProgress = components['responses']['user_disabled.course_retired.already_enrolled.too_many_enrolments.no_seats_left.in_progress'];
export type ResponseUserNotFoundCourseNotFoundTenantNotFound = components['responses']['user_not_found.course_not_found.tenant_not_found'];
export type ResponseUserDisabledMultipleEnrolmentOptionsNoEnrolmentOptionCourseRetiredAlreadyEnrolledTooManyEnrolmentsNoSeatsLeftInProgress = components['responses']['user_disabled.multiple_enrolment_options.no_enrolment_option.course_retired.already_enrolled.too_many_enrolments.no_seats_left.in_progress'];
export type ResponseEnrolmentNotFoundTenantNotFound = components['responses']['enrolment_not_found.tenant_not_found'];
export type ResponseAlreadyEnrolledNoSeatsLeftTouched = components['responses']['already_enrolled.no_seats_left.touched'];
export type ResponseUserNotFoundEnrolmentNotFoundTenantNotFound = components['responses']['user_not_found.enrolment_not_found.tenant_not_found'];
export type ResponseNotResettableInProgress = components['responses']['not_resettable.in_progress'];
export type ResponseCourseRetiredInProgress = components['responses']['course_retired.in_progress'];
export type ResponseValidationFailedKeyMistyped = components['responses']['validation_failed.key_mistyped'];
export type ResponseKeyRedeemed = components['responses']['key_redeemed'];
export type ResponseUserNotFoundCourseNotFoundOptionNotFoundTenantNotFoundKeyNotFound = components['responses']['user_not_found.course_not_found.option_not_found.tenant_not_found.key_not_found'];
export type ResponseUserDisabledCourseRetiredAlreadyEnrolledTooManyEnrolmentsNoSeatsLeftInProgressKeyRedeemedKeyRevokedKeyExpiredKeyNotYetValidKeyOfOtherUserKeyOfOtherGroup = components['responses']['user_disabled.course_retired.already_enrolled.too_many_enrolments.no_seats_left.in_progress.key_redeemed.key_revoked.key_expired.key_not_yet_valid.key_of_other_user.key_of_other_group'];
export type ResponseValidationFailedKeyMistypedUnknownFieldIdempotencyKeyReused = components['responses']['validation_failed.key_mistyped.unknown_field.idempotency_key_reused'];
export type ResponseTooManyRequestsKeyThrottled = components['responses']['too_many_requests.key_throttled'];
export type ResponseMalformedRequest = components['responses']['malformed_request'];
export type ResponseSignedOutSignInFailed = components['responses']['signed_out.sign_in_failed'];
export type ResponseCrossSiteTenantSuspended = components['responses']['cross_site.tenant_suspended'];
export type ResponseMalformedRequestSessionAmbiguous = components['responses']['malformed_request.session_ambiguous'];
export type ResponseSignedOut = components['responses']['signed_out'];
export type ResponseCrossSite = components['responses']['cross_site'];
export type ResponseMailNotConfigured = components['responses']['mail_not_configured'];
export type ResponseResetEnded = components['responses']['reset_ended'];
export type ResponsePasskeyRequiredCrossSiteTenantSuspended = components['responses']['passkey_required.cross_site.tenant_suspended'];
export type ResponseValidationFailedUnknownFieldPasswordWrongPasswordNotHashed = components['responses']['validation_failed.unknown_field.password_wrong.password_not_hashed'];
export type ResponseOwnOnlyPasskeyRequiredCrossSiteTenantSuspended = components['responses']['own_only.passkey_required.cross_site.tenant_suspended'];
export type ResponsePasskeysUnavailable = components['responses']['passkeys_unavailable'];
export type ResponseOwnOnlyCrossSiteTenantSuspended = components['responses']['own_only.cross_site.tenant_suspended'];
export type ResponseValidationFailedUnknownFieldPasskeyRejected = components['responses']['validation_failed.unknown_field.passkey_rejected'];
export type ResponsePasskeyLimitPasskeysUnavailable = components['responses']['passkey_limit.passkeys_unavailable'];
export type ResponsePasskeyNotFound = components['responses']['passkey_not_found'];
export type ResponseLastPasskey = components['responses']['last_passkey'];
export type ResponseScopeMissingOperatorOnlyOwnOnlyPasskeyRequiredCrossSiteTenantSuspended = components['responses']['scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended'];
export type ResponseCourseNotFound = components['responses']['course_not_found'];
export type ResponseCourseInUse = components['responses']['course_in_use'];
export type ResponseOptionNotFound = components['responses']['option_not_found'];
export type ResponseOptionInUse = components['responses']['option_in_use'];
export type ResponsePayloadTooLargePackageTooLarge = components['responses']['payload_too_large.package_too_large'];
export type ResponseValidationFailedUnknownFieldPackageNotZipPackageUnsafePackageUnreadablePackageInvalidPackageUnsupported = components['responses']['validation_failed.unknown_field.package_not_zip.package_unsafe.package_unreadable.package_invalid.package_unsupported'];
export type ResponseCourseNotPlayable = components['responses']['course_not_playable'];
export type ResponseCourseNotFoundReleaseNotFound = components['responses']['course_not_found.release_not_found'];
export type ResponseTenantExistsTenantBeingDeletedInProgressPasskeysUnavailable = components['responses']['tenant_exists.tenant_being_deleted.in_progress.passkeys_unavailable'];
export type ResponseNotATestTenantPasskeysUnavailable = components['responses']['not_a_test_tenant.passkeys_unavailable'];
export type ResponseTenantNotSuspended = components['responses']['tenant_not_suspended'];
export type ResponseKeyNotFound = components['responses']['key_not_found'];
export type ResponseNotFound = components['responses']['not_found'];
export type ResponseMailNotConfiguredInProgressScheduleLimit = components['responses']['mail_not_configured.in_progress.schedule_limit'];
export type ResponseTenantNotFoundScheduleNotFound = components['responses']['tenant_not_found.schedule_not_found'];
export type ResponseUserNotFoundTenantNotFoundScheduleNotFound = components['responses']['user_not_found.tenant_not_found.schedule_not_found'];
export type ResponseInProgressWebhookLimit = components['responses']['in_progress.webhook_limit'];
export type ResponseValidationFailedUnknownFieldIdempotencyKeyReusedWebhookAddressRefused = components['responses']['validation_failed.unknown_field.idempotency_key_reused.webhook_address_refused'];
export type ResponseTenantNotFoundWebhookNotFound = components['responses']['tenant_not_found.webhook_not_found'];
export type ResponseValidationFailedUnknownFieldWebhookAddressRefused = components['responses']['validation_failed.unknown_field.webhook_address_refused'];
export type ResponseUserNotFoundTenantNotFoundWebhookNotFound = components['responses']['user_not_found.tenant_not_found.webhook_not_found'];
export type ResponseMalformedRequestXapiInvalidSessionAmbiguousTenantRequired = components['responses']['malformed_request.xapi_invalid.session_ambiguous.tenant_required'];
export type ResponseScopeMissingOwnOnlyPasskeyRequiredCrossSiteTenantNotAllowedCmi5ViolationTenantSuspended = components['responses']['scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended'];
export type ResponseTenantNotFoundStatementNotFound = components['responses']['tenant_not_found.statement_not_found'];
export type ResponseStatementConflictStorageLimit = components['responses']['statement_conflict.storage_limit'];
export type ResponseInProgressStatementConflictStorageLimit = components['responses']['in_progress.statement_conflict.storage_limit'];
export type ResponseTenantNotFoundDocumentNotFound = components['responses']['tenant_not_found.document_not_found'];
export type ResponseDocumentConflictDocumentLimitStorageLimit = components['responses']['document_conflict.document_limit.storage_limit'];
export type ResponsePreconditionFailed = components['responses']['precondition_failed'];
export type ResponseInProgressDocumentLimitStorageLimit = components['responses']['in_progress.document_limit.storage_limit'];
export type ResponseNotWaivableInProgress = components['responses']['not_waivable.in_progress'];
export type ResponseCourseNotFoundReleaseNotFoundTenantNotFound = components['responses']['course_not_found.release_not_found.tenant_not_found'];
export type ResponseCourseNotPlayableInProgress = components['responses']['course_not_playable.in_progress'];
export type ResponseNotATestTenant = components['responses']['not_a_test_tenant'];
export type ResponseNotATestTenantInProgress = components['responses']['not_a_test_tenant.in_progress'];
export type ResponseScopeMissingOwnOnlyPasskeyRequiredCrossSiteTenantNotAllowedTenantSuspendedAccessExpiredEnrolmentWithdrawnLaunchRefused = components['responses']['scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended.access_expired.enrolment_withdrawn.launch_refused'];
export type ResponseUserDisabledCourseNotPlayableNotATestTenantInProgressStorageLimitSessionSuperseded = components['responses']['user_disabled.course_not_playable.not_a_test_tenant.in_progress.storage_limit.session_superseded'];
export type ResponseSessionEndedEnrolmentErased = components['responses']['session_ended.enrolment_erased'];
export type ResponseTenantSuspendedAccessExpiredEnrolmentWithdrawnLaunchRefused = components['responses']['tenant_suspended.access_expired.enrolment_withdrawn.launch_refused'];
export type ResponseUserDisabledCourseNotPlayableSessionSuperseded = components['responses']['user_disabled.course_not_playable.session_superseded'];
export type ResponseSessionEnded = components['responses']['session_ended'];
export type ResponseWrongHost = components['responses']['wrong_host'];
export type ResponseTenantSuspendedEnrolmentWithdrawn = components['responses']['tenant_suspended.enrolment_withdrawn'];
export type ResponseUserDisabledCourseNotPlayableResultsTooLateCommitNumberAhead = components['responses']['user_disabled.course_not_playable.results_too_late.commit_number_ahead'];
export type ResponseSessionEndedSessionExitedEnrolmentErased = components['responses']['session_ended.session_exited.enrolment_erased'];
export type ResponseTenantSuspendedAccessExpiredEnrolmentWithdrawn = components['responses']['tenant_suspended.access_expired.enrolment_withdrawn'];
export type ResponseUserDisabledSessionSuperseded = components['responses']['user_disabled.session_superseded'];
export type ResponseRangeNotSatisfiable = components['responses']['range_not_satisfiable'];
export type ResponseNotFoundTenantNotFound = components['responses']['not_found.tenant_not_found'];
export type ParameterTenant = components['parameters']['Tenant'];
export type ParameterIdempotencyKey = components['parameters']['Idempotency-Key'];
export type ParameterLimit = components['parameters']['Limit'];
export type ParameterCursor = components['parameters']['Cursor'];
export type ParameterKeyId = components['parameters']['KeyID'];
export type ParameterCount = components['parameters']['Count'];
export type ParameterLoginId = components['parameters']['LoginID'];
export type ParameterOrder = components['parameters']['Order'];
export type ParameterPlan = components['parameters']['Plan'];
export type ParameterCourseId = components['parameters']['CourseID'];
export type ParameterDurationId = components['parameters']['DurationID'];
export type ParameterEnrollId = components['parameters']['EnrollID'];
export type ParameterKey = components['parameters']['Key'];
export type ParameterPasskeyId = components['parameters']['PasskeyID'];
export type ParameterSearch = components['parameters']['Search'];
export type ParameterRelease = components['parameters']['Release'];
export type ParameterTenantId = components['parameters']['TenantID'];
export type ParameterBy = components['parameters']['By'];
export type ParameterGroupName = components['parameters']['GroupName'];
export type ParameterAsOf = components['parameters']['AsOf'];
export type ParameterScheduleId = components['parameters']['ScheduleID'];
export type ParameterWebhookId = components['parameters']['WebhookID'];
export type ParameterXExperienceApiVersion = components['parameters']['X-Experience-API-Version'];
export type ParameterActivityId = components['parameters']['activityId'];
export type ParameterAgent = components['parameters']['agent'];
export type ParameterRegistration = components['parameters']['registration'];
export type ParameterSince = components['parameters']['since'];
export type ParameterStateId = components['parameters']['stateId'];
export type ParameterProfileId = components['parameters']['profileId'];
export type ParameterToken = components['parameters']['token'];
export type ParameterWebhookId_2 = components['parameters']['webhook-id'];
export type ParameterWebhookTimestamp = components['parameters']['webhook-timestamp'];
export type ParameterWebhookSignature = components['parameters']['webhook-signature'];
export type $defs = Record<string, never>;
export interface operations {
    createAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "client_credentials",
                 *       "client_id": "01994a5e-7c00-7000-8000-000000000003",
                 *       "client_secret": "lectern_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                 *     }
                 */
                "application/json": components["schemas"]["TokenRequest"];
                /**
                 * @example {
                 *       "grant_type": "client_credentials",
                 *       "client_id": "01994a5e-7c00-7000-8000-000000000003",
                 *       "client_secret": "lectern_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description A bearer token, valid for ten minutes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhY21lIn0.c2lnbmF0dXJl",
                     *       "token_type": "Bearer",
                     *       "expires_in": 600,
                     *       "scope": "users:read users:write"
                     *     }
                     */
                    "application/json": components["schemas"]["AccessToken"];
                };
            };
            /** @description RFC 6749 §5.2. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_client",
                     *       "error_description": "Send the KeyID as client_id and its Secret as client_secret."
                     *     }
                     */
                    "application/json": components["schemas"]["TokenError"];
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code?: "malformed_request";
                    };
                };
            };
            /** @description RFC 6749 §5.2. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_client",
                     *       "error_description": "Send the KeyID as client_id and its Secret as client_secret."
                     *     }
                     */
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listOwnKeys: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys, without their secrets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "KeyID": "01994a5e-7c00-7000-8000-000000000003",
                     *           "TenantID": "acme",
                     *           "Name": "HR system",
                     *           "Scopes": [
                     *             "users:read",
                     *             "users:write"
                     *           ],
                     *           "CreatedAt": "2026-01-31T09:00:00Z",
                     *           "CreatedBy": "administrator",
                     *           "CreatorLoginID": null,
                     *           "ExpiresAt": "2026-01-31T09:00:00Z",
                     *           "LastUsedAt": null,
                     *           "RevokedAt": null
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Key"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.session_required.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createOwnKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "HR system",
                 *       "Scopes": [
                 *         "users:read",
                 *         "users:write"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description The key, with its secret shown only once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "KeyID": "01994a5e-7c00-7000-8000-000000000003",
                     *       "TenantID": "acme",
                     *       "Name": "HR system",
                     *       "Scopes": [
                     *         "users:read",
                     *         "users:write"
                     *       ],
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "CreatedBy": "administrator",
                     *       "CreatorLoginID": null,
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "LastUsedAt": null,
                     *       "RevokedAt": null,
                     *       "Secret": "lectern_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                     *     }
                     */
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.session_required.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            409: components["responses"]["in_progress.key_limit"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    revokeOwnKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /** @example 01994a5e-7c00-7000-8000-000000000003 */
                KeyID: components["parameters"]["KeyID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revoked key, which is rejected on every node within 5 s. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "KeyID": "01994a5e-7c00-7000-8000-000000000003",
                     *       "TenantID": "acme",
                     *       "Name": "HR system",
                     *       "Scopes": [
                     *         "users:read",
                     *         "users:write"
                     *       ],
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "CreatedBy": "administrator",
                     *       "CreatorLoginID": null,
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "LastUsedAt": null,
                     *       "RevokedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Key"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.session_required.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found.key_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @description If true, the first page has a `Count` of the records that match the filters.
                 * @example true
                 */
                Count?: components["parameters"]["Count"];
                /**
                 * @description Sorts by creation time or by name. Cannot be combined with Search.
                 * @example oldest
                 */
                Order?: "oldest" | "newest" | "name" | "name_descending";
                /** @example Engineering */
                GroupName?: string;
                /**
                 * @description Exact match, ignoring case.
                 * @example ada@example.com
                 */
                Email?: string;
                /** @example true */
                Enabled?: boolean;
                /**
                 * @description At most ten words of the name, LoginID or Email, or the beginnings of words, in any order: `muller ann` finds Anna Müller. Case, accents and punctuation are ignored. A user with exactly this LoginID comes first; the others are in no particular order.
                 * @example ada
                 */
                Search?: string;
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of users. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "LoginID": "ada",
                     *           "FirstName": "Ada",
                     *           "LastName": "Lovelace",
                     *           "GroupName": "Engineering",
                     *           "Email": "ada@example.com",
                     *           "IsAdmin": false,
                     *           "Register": false,
                     *           "Enabled": true,
                     *           "EmailBouncedAt": null,
                     *           "EmailBounceReason": null,
                     *           "CreatedAt": "2026-01-31T09:00:00Z",
                     *           "UpdatedAt": "2026-01-31T09:00:00Z"
                     *         }
                     *       ],
                     *       "NextCursor": null,
                     *       "Count": {
                     *         "Records": 1,
                     *         "More": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["User"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                        Count?: {
                            Records: number;
                            /** @description If true, there are at least this many records. */
                            More: boolean;
                        };
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "LoginID": "ada",
                 *       "FirstName": "Ada",
                 *       "LastName": "Lovelace",
                 *       "GroupName": "Engineering",
                 *       "Email": "ada@example.com",
                 *       "Password": "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"
                 *     }
                 */
                "application/json": components["schemas"]["NewUser"];
            };
        };
        responses: {
            /** @description The user already exists with the same data (a safe retry), or has been updated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "LoginID": "ada",
                     *       "FirstName": "Ada",
                     *       "LastName": "Lovelace",
                     *       "GroupName": "Engineering",
                     *       "Email": "ada@example.com",
                     *       "IsAdmin": false,
                     *       "Register": false,
                     *       "Enabled": true,
                     *       "EmailBouncedAt": null,
                     *       "EmailBounceReason": null,
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "LoginID": "ada",
                     *       "FirstName": "Ada",
                     *       "LastName": "Lovelace",
                     *       "GroupName": "Engineering",
                     *       "Email": "ada@example.com",
                     *       "IsAdmin": false,
                     *       "Register": false,
                     *       "Enabled": true,
                     *       "EmailBouncedAt": null,
                     *       "EmailBounceReason": null,
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            409: components["responses"]["user_exists.in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused.password_not_hashed"];
            429: components["responses"]["too_many_requests.login_throttled"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listGroups: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Beginning of the name; case-sensitive.
                 * @example ada
                 */
                Search?: string;
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of groups, ordered by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "GroupName": "Engineering"
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Group"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "LoginID": "ada",
                     *       "FirstName": "Ada",
                     *       "LastName": "Lovelace",
                     *       "GroupName": "Engineering",
                     *       "Email": "ada@example.com",
                     *       "IsAdmin": false,
                     *       "Register": false,
                     *       "Enabled": true,
                     *       "EmailBouncedAt": null,
                     *       "EmailBounceReason": null,
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "GroupName": "Engineering"
                 *     }
                 */
                "application/json": components["schemas"]["UserChange"];
            };
        };
        responses: {
            /** @description The changed user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "LoginID": "ada",
                     *       "FirstName": "Ada",
                     *       "LastName": "Lovelace",
                     *       "GroupName": "Engineering",
                     *       "Email": "ada@example.com",
                     *       "IsAdmin": false,
                     *       "Register": false,
                     *       "Enabled": true,
                     *       "EmailBouncedAt": null,
                     *       "EmailBounceReason": null,
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.login_id_immutable.password_not_hashed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    eraseUser: {
        parameters: {
            query?: {
                /**
                 * @description If true, the response says what would be erased, and nothing is changed.
                 * @example true
                 */
                Plan?: boolean;
                /**
                 * @description If true, the user is only erased if they were created within the last hour and have no changes, enrolments, sign-ins, invitations or other data. Enrolments that were withdrawn before their first launch are ignored. Otherwise, the response is 409 touched, and its reason is older, changed, used or enrolled. enrolled means that only the enrolments have to be withdrawn first.
                 * @example true
                 */
                Untouched?: boolean;
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The receipt. Repeating the call returns the same one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ReceiptID": "01994a5e-7c00-7000-8000-000000000007",
                     *       "LoginID": "ada",
                     *       "Plan": true,
                     *       "ErasedAt": "2026-01-31T09:00:00Z",
                     *       "Erased": [
                     *         {
                     *           "Data": "enrolments",
                     *           "Records": 1,
                     *           "More": true,
                     *           "What": "Enrolments and their results."
                     *         }
                     *       ],
                     *       "Kept": [
                     *         {
                     *           "Data": "enrolments",
                     *           "Records": 1,
                     *           "More": true,
                     *           "What": "Enrolments and their results.",
                     *           "Why": "Anonymous results are kept for reports."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            409: components["responses"]["touched"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    checkUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description `Result`: 1 enabled, 0 disabled, -1 not found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "LoginID": "ada",
                     *       "Result": 1
                     *     }
                     */
                    "application/json": components["schemas"]["CheckResult"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    checkPassword: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Password": "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordCheck"];
            };
        };
        responses: {
            /** @description `Result`: 1 valid, 0 disabled, -1 not found, -2 wrong password. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "LoginID": "ada",
                     *       "Result": 1
                     *     }
                     */
                    "application/json": components["schemas"]["CheckResult"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            409: components["responses"]["in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused.password_not_hashed"];
            429: components["responses"]["too_many_requests.login_throttled"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    setPassword: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Password": "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordCheck"];
            };
        };
        responses: {
            /** @description The password has been set. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.password_not_hashed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Sort order. Default: oldest.
                 * @example oldest
                 */
                Order?: components["parameters"]["Order"];
                /**
                 * @description If true, the first page has a `Count` of the records that match the filters.
                 * @example true
                 */
                Count?: components["parameters"]["Count"];
                /** @example pending */
                Status?: "pending" | "accepted" | "expired" | "revoked";
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of invitations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "InvitationID": "01994a5e-7c00-7000-8000-000000000010",
                     *           "LoginID": "ada",
                     *           "Status": "pending",
                     *           "CreatedAt": "2026-01-31T09:00:00Z",
                     *           "ExpiresAt": "2026-01-31T09:00:00Z",
                     *           "AcceptedAt": null
                     *         }
                     *       ],
                     *       "NextCursor": null,
                     *       "Count": {
                     *         "Records": 1,
                     *         "More": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Invitation"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                        Count?: {
                            Records: number;
                            /** @description If true, there are at least this many records. */
                            More: boolean;
                        };
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "LoginID": "ada"
                 *     }
                 */
                "application/json": components["schemas"]["InvitationRequest"];
            };
        };
        responses: {
            /** @description The invitation with its link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "InvitationID": "01994a5e-7c00-7000-8000-000000000010",
                     *       "LoginID": "ada",
                     *       "Status": "pending",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "AcceptedAt": null,
                     *       "InvitationURL": "https://lectern.example.com/console/invitation#eyJhbGciOiJkaXIifQ",
                     *       "MailID": "01994a5e-7c00-7000-8000-000000000000"
                     *     }
                     */
                    "application/json": components["schemas"]["NewInvitation"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            409: components["responses"]["user_disabled.in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createInvitations: {
        parameters: {
            query?: {
                /**
                 * @description If true, the response says what would happen to each row, and nothing is changed.
                 * @example true
                 */
                Plan?: components["parameters"]["Plan"];
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {"LoginID":"ada"} */
                "application/x-ndjson": unknown;
                /**
                 * @example LoginID
                 *     ada
                 */
                "text/csv": unknown;
            };
        };
        responses: {
            /** @description One line for each row, in order: `Row` (from 1), `Status` as in the single call, and either the IDs of the record or `code` and `detail`. `Trimmed` names the ID fields from which surrounding spaces or invisible characters were removed. With the query `Plan=true`, `Plan` is created, updated, exists, differs or error. `Changed` lists the fields that an update changed, and `SimilarLoginID` is an existing LoginID that differs only in case from the one that would be created. `SameEmailLoginID` is another user, or the user in an earlier row of the same batch of 200, with the Email that the row would set. `Damaged` names the fields whose values look like errors or numbers of a spreadsheet, such as #N/A or 1.23457E+11. CSV includes none of these. Send `Accept: text/csv` to get CSV. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "InvitationID": "01994a5e-7c00-7000-8000-000000000010",
                     *       "LoginID": "ada",
                     *       "Status": "pending",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "AcceptedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found.invitation_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "InvitationID": "01994a5e-7c00-7000-8000-000000000010",
                     *       "LoginID": "ada",
                     *       "Status": "pending",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "AcceptedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found.invitation_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createInvitationLink: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
                /**
                 * @description Opaque.
                 * @example 01994a5e-7c00-7000-8000-000000000010
                 */
                InvitationID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "InvitationURL": "https://lectern.example.com/console/invitation#eyJhbGciOiJkaXIifQ",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["InvitationLink"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found.invitation_not_found"];
            409: components["responses"]["in_progress"];
            410: components["responses"]["invitation_ended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listMails: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @description If true, the first page has a `Count` of the records that match the filters.
                 * @example true
                 */
                Count?: components["parameters"]["Count"];
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID?: string;
                /** @example queued */
                Status?: "queued" | "sent" | "failed" | "cancelled" | "bounced";
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of emails. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "MailID": "01994a5e-7c00-7000-8000-000000000000",
                     *           "LoginID": "ada",
                     *           "Kind": "invitation",
                     *           "Address": "203.0.113.7",
                     *           "Status": "queued",
                     *           "Attempts": 1,
                     *           "Answer": null,
                     *           "CreatedAt": "2026-01-31T09:00:00Z",
                     *           "AttemptedAt": "2026-01-31T09:00:00Z",
                     *           "NextAttemptAt": null,
                     *           "BouncedAt": null,
                     *           "BounceKind": null,
                     *           "BounceReason": null
                     *         }
                     *       ],
                     *       "NextCursor": null,
                     *       "Count": {
                     *         "Records": 1,
                     *         "More": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Mail"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                        Count?: {
                            Records: number;
                            /** @description If true, there are at least this many records. */
                            More: boolean;
                        };
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    reportBounce: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "MessageID": "<01994a5e-7c00-7000-8000-000000000008@lectern.example>",
                 *       "EmailAddress": "ada@example.com",
                 *       "Kind": "permanent",
                 *       "Reason": "Passed the practical exam."
                 *     }
                 */
                "application/json": components["schemas"]["BounceReport"];
            };
        };
        responses: {
            /** @description The bounce has been recorded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "MailID": "01994a5e-7c00-7000-8000-000000000000",
                     *       "Users": 1
                     *     }
                     */
                    "application/json": components["schemas"]["RecordedBounce"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found.mail_not_found"];
            409: components["responses"]["in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    clearBounce: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Emails can be sent to the address again. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    enrolWithOption: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
                /**
                 * @description ID of the enrolment option, unique within its course. Chosen by the operator.
                 * @example 30-days
                 */
                DurationID: components["parameters"]["DurationID"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "Reference": "order-4711"
                 *     }
                 */
                "application/json": components["schemas"]["EnrolRequest"];
            };
        };
        responses: {
            /** @description The user is already enrolled. The response is the current enrolment, extended if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *       "LoginID": "ada",
                     *       "CourseID": "fire-safety",
                     *       "DurationID": "30-days",
                     *       "CourseTitle": "Fire safety",
                     *       "Status": "enrolled",
                     *       "Completion": "unknown",
                     *       "Success": "unknown",
                     *       "Score": 85,
                     *       "Override": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85,
                     *         "Reason": "Passed the practical exam.",
                     *         "At": "2026-01-31T09:00:00Z"
                     *       },
                     *       "Recorded": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85
                     *       },
                     *       "Progress": 100,
                     *       "TotalSeconds": 1260,
                     *       "EnrolledAt": "2026-01-31T09:00:00Z",
                     *       "StartedAt": "2026-01-31T09:00:00Z",
                     *       "LastAccessedAt": "2026-01-31T09:00:00Z",
                     *       "CompletedAt": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "Launches": 1,
                     *       "Attempts": {
                     *         "Limit": 3,
                     *         "CoolDown": "P1D",
                     *         "Counts": "best",
                     *         "After": "failed",
                     *         "Review": false
                     *       },
                     *       "Attempt": 1,
                     *       "AttemptsUsed": 1,
                     *       "Reference": "order-4711",
                     *       "Metadata": {
                     *         "cohort": "spring"
                     *       },
                     *       "LaunchURL": "https://lectern.example.com/launch?key=c2lnbmF0dXJl&enrolment=01994a5e-7c00-7000-8000-000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["Enrolment"];
                };
            };
            /** @description Enrolled. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *       "LoginID": "ada",
                     *       "CourseID": "fire-safety",
                     *       "DurationID": "30-days",
                     *       "CourseTitle": "Fire safety",
                     *       "Status": "enrolled",
                     *       "Completion": "unknown",
                     *       "Success": "unknown",
                     *       "Score": 85,
                     *       "Override": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85,
                     *         "Reason": "Passed the practical exam.",
                     *         "At": "2026-01-31T09:00:00Z"
                     *       },
                     *       "Recorded": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85
                     *       },
                     *       "Progress": 100,
                     *       "TotalSeconds": 1260,
                     *       "EnrolledAt": "2026-01-31T09:00:00Z",
                     *       "StartedAt": "2026-01-31T09:00:00Z",
                     *       "LastAccessedAt": "2026-01-31T09:00:00Z",
                     *       "CompletedAt": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "Launches": 1,
                     *       "Attempts": {
                     *         "Limit": 3,
                     *         "CoolDown": "P1D",
                     *         "Counts": "best",
                     *         "After": "failed",
                     *         "Review": false
                     *       },
                     *       "Attempt": 1,
                     *       "AttemptsUsed": 1,
                     *       "Reference": "order-4711",
                     *       "Metadata": {
                     *         "cohort": "spring"
                     *       },
                     *       "LaunchURL": "https://lectern.example.com/launch?key=c2lnbmF0dXJl&enrolment=01994a5e-7c00-7000-8000-000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["Enrolment"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.course_not_found.option_not_found.tenant_not_found"];
            409: components["responses"]["user_disabled.course_retired.already_enrolled.too_many_enrolments.no_seats_left.in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    enrol: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "Reference": "order-4711"
                 *     }
                 */
                "application/json": components["schemas"]["EnrolRequest"];
            };
        };
        responses: {
            /** @description The user is already enrolled. The response is the current enrolment, extended if requested. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *       "LoginID": "ada",
                     *       "CourseID": "fire-safety",
                     *       "DurationID": "30-days",
                     *       "CourseTitle": "Fire safety",
                     *       "Status": "enrolled",
                     *       "Completion": "unknown",
                     *       "Success": "unknown",
                     *       "Score": 85,
                     *       "Override": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85,
                     *         "Reason": "Passed the practical exam.",
                     *         "At": "2026-01-31T09:00:00Z"
                     *       },
                     *       "Recorded": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85
                     *       },
                     *       "Progress": 100,
                     *       "TotalSeconds": 1260,
                     *       "EnrolledAt": "2026-01-31T09:00:00Z",
                     *       "StartedAt": "2026-01-31T09:00:00Z",
                     *       "LastAccessedAt": "2026-01-31T09:00:00Z",
                     *       "CompletedAt": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "Launches": 1,
                     *       "Attempts": {
                     *         "Limit": 3,
                     *         "CoolDown": "P1D",
                     *         "Counts": "best",
                     *         "After": "failed",
                     *         "Review": false
                     *       },
                     *       "Attempt": 1,
                     *       "AttemptsUsed": 1,
                     *       "Reference": "order-4711",
                     *       "Metadata": {
                     *         "cohort": "spring"
                     *       },
                     *       "LaunchURL": "https://lectern.example.com/launch?key=c2lnbmF0dXJl&enrolment=01994a5e-7c00-7000-8000-000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["Enrolment"];
                };
            };
            /** @description Enrolled. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *       "LoginID": "ada",
                     *       "CourseID": "fire-safety",
                     *       "DurationID": "30-days",
                     *       "CourseTitle": "Fire safety",
                     *       "Status": "enrolled",
                     *       "Completion": "unknown",
                     *       "Success": "unknown",
                     *       "Score": 85,
                     *       "Override": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85,
                     *         "Reason": "Passed the practical exam.",
                     *         "At": "2026-01-31T09:00:00Z"
                     *       },
                     *       "Recorded": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85
                     *       },
                     *       "Progress": 100,
                     *       "TotalSeconds": 1260,
                     *       "EnrolledAt": "2026-01-31T09:00:00Z",
                     *       "StartedAt": "2026-01-31T09:00:00Z",
                     *       "LastAccessedAt": "2026-01-31T09:00:00Z",
                     *       "CompletedAt": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "Launches": 1,
                     *       "Attempts": {
                     *         "Limit": 3,
                     *         "CoolDown": "P1D",
                     *         "Counts": "best",
                     *         "After": "failed",
                     *         "Review": false
                     *       },
                     *       "Attempt": 1,
                     *       "AttemptsUsed": 1,
                     *       "Reference": "order-4711",
                     *       "Metadata": {
                     *         "cohort": "spring"
                     *       },
                     *       "LaunchURL": "https://lectern.example.com/launch?key=c2lnbmF0dXJl&enrolment=01994a5e-7c00-7000-8000-000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["Enrolment"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.course_not_found.tenant_not_found"];
            409: components["responses"]["user_disabled.multiple_enrolment_options.no_enrolment_option.course_retired.already_enrolled.too_many_enrolments.no_seats_left.in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readOffer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The course, the options this user can choose, and the current enrolment or null. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "CourseID": "fire-safety",
                     *       "Title": "Fire safety",
                     *       "Description": "What to do when there is a fire.",
                     *       "Language": "en",
                     *       "ImageURL": "https://cdn.example.com/fire-safety.png",
                     *       "Standard": "scorm12",
                     *       "Status": "draft",
                     *       "Release": 1,
                     *       "AvailableEnrolOptions": [
                     *         {
                     *           "DurationID": "30-days",
                     *           "Name": "30 days",
                     *           "Duration": "P30D",
                     *           "StartsOn": "enrolment",
                     *           "Seats": 100,
                     *           "Groups": [
                     *             "Engineering"
                     *           ],
                     *           "Price": {
                     *             "Amount": "49.00",
                     *             "Currency": "EUR"
                     *           },
                     *           "Status": "draft",
                     *           "Attempts": {
                     *             "Limit": 3,
                     *             "CoolDown": "P1D",
                     *             "Counts": "best",
                     *             "After": "failed",
                     *             "Review": false
                     *           },
                     *           "SeatsLeft": 99
                     *         }
                     *       ],
                     *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["Offer"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.course_not_found.tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listEnrolments: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Sort order. Default: oldest. status and status_descending group the enrolments by status: completed, enrolled, expired, in_progress, withdrawn. Within a group, they are sorted by creation. An enrolment that has just expired can be in its former group for up to 30 seconds.
                 * @example oldest
                 */
                Order?: "oldest" | "newest" | "status" | "status_descending";
                /**
                 * @description If true, the first page has a `Count` of the records that match the filters.
                 * @example true
                 */
                Count?: components["parameters"]["Count"];
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID?: string;
                /**
                 * @description Finds an enrolment if you do not know its user.
                 * @example 01994a5e-7c00-7000-8000-000000000001
                 */
                EnrollID?: string;
                /**
                 * @description At most ten words of the name, LoginID or Email of the users, or the beginnings of words, in any order, as in `GET /user`: `muller ann` finds the enrolments of Anna Müller. Requires the scope users:read as well.
                 * @example ada
                 */
                Search?: string;
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID?: string;
                /**
                 * @description An enrolment option of the course. Requires CourseID.
                 * @example 30-days
                 */
                DurationID?: string;
                /**
                 * @description The current status. `open`: neither completed nor ended (`enrolled` or `in_progress`).
                 * @example enrolled
                 */
                Status?: "enrolled" | "in_progress" | "completed" | "expired" | "withdrawn" | "open";
                /**
                 * @description The users' current group.
                 * @example Engineering
                 */
                GroupName?: string;
                /**
                 * @description Only current enrolments that end after this time, ordered by ExpiresAt.
                 * @example 2026-01-31T09:00:00Z
                 */
                ExpiresAfter?: string;
                /**
                 * @description Only current enrolments that end before this time, ordered by ExpiresAt.
                 * @example 2026-01-31T09:00:00Z
                 */
                ExpiresBefore?: string;
                /**
                 * @description Only enrolments changed after this time. They are ordered by the time of the change; progress may appear up to five minutes too early in this order. To synchronise, send the time at which your previous read began.
                 * @example 2026-01-31T09:00:00Z
                 */
                ChangedAfter?: string;
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of enrolments. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *           "LoginID": "ada",
                     *           "CourseID": "fire-safety",
                     *           "DurationID": "30-days",
                     *           "CourseTitle": "Fire safety",
                     *           "Status": "enrolled",
                     *           "Completion": "unknown",
                     *           "Success": "unknown",
                     *           "Score": 85,
                     *           "Override": {
                     *             "Completion": "unknown",
                     *             "Success": "unknown",
                     *             "Score": 85,
                     *             "Reason": "Passed the practical exam.",
                     *             "At": "2026-01-31T09:00:00Z"
                     *           },
                     *           "Recorded": {
                     *             "Completion": "unknown",
                     *             "Success": "unknown",
                     *             "Score": 85
                     *           },
                     *           "Progress": 100,
                     *           "TotalSeconds": 1260,
                     *           "EnrolledAt": "2026-01-31T09:00:00Z",
                     *           "StartedAt": "2026-01-31T09:00:00Z",
                     *           "LastAccessedAt": "2026-01-31T09:00:00Z",
                     *           "CompletedAt": "2026-01-31T09:00:00Z",
                     *           "ExpiresAt": "2026-01-31T09:00:00Z",
                     *           "Launches": 1,
                     *           "Attempts": {
                     *             "Limit": 3,
                     *             "CoolDown": "P1D",
                     *             "Counts": "best",
                     *             "After": "failed",
                     *             "Review": false
                     *           },
                     *           "Attempt": 1,
                     *           "AttemptsUsed": 1,
                     *           "Reference": "order-4711",
                     *           "Metadata": {
                     *             "cohort": "spring"
                     *           },
                     *           "LaunchURL": "https://lectern.example.com/launch?key=c2lnbmF0dXJl&enrolment=01994a5e-7c00-7000-8000-000000000001"
                     *         }
                     *       ],
                     *       "NextCursor": null,
                     *       "Count": {
                     *         "Records": 1,
                     *         "More": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Enrolment"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                        Count?: {
                            Records: number;
                            /** @description If true, there are at least this many records. */
                            More: boolean;
                        };
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listEnrolmentsOfUser: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Sort order. Default: oldest.
                 * @example oldest
                 */
                Order?: components["parameters"]["Order"];
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of enrolments. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *           "LoginID": "ada",
                     *           "CourseID": "fire-safety",
                     *           "DurationID": "30-days",
                     *           "CourseTitle": "Fire safety",
                     *           "Status": "enrolled",
                     *           "Completion": "unknown",
                     *           "Success": "unknown",
                     *           "Score": 85,
                     *           "Override": {
                     *             "Completion": "unknown",
                     *             "Success": "unknown",
                     *             "Score": 85,
                     *             "Reason": "Passed the practical exam.",
                     *             "At": "2026-01-31T09:00:00Z"
                     *           },
                     *           "Recorded": {
                     *             "Completion": "unknown",
                     *             "Success": "unknown",
                     *             "Score": 85
                     *           },
                     *           "Progress": 100,
                     *           "TotalSeconds": 1260,
                     *           "EnrolledAt": "2026-01-31T09:00:00Z",
                     *           "StartedAt": "2026-01-31T09:00:00Z",
                     *           "LastAccessedAt": "2026-01-31T09:00:00Z",
                     *           "CompletedAt": "2026-01-31T09:00:00Z",
                     *           "ExpiresAt": "2026-01-31T09:00:00Z",
                     *           "Launches": 1,
                     *           "Attempts": {
                     *             "Limit": 3,
                     *             "CoolDown": "P1D",
                     *             "Counts": "best",
                     *             "After": "failed",
                     *             "Review": false
                     *           },
                     *           "Attempt": 1,
                     *           "AttemptsUsed": 1,
                     *           "Reference": "order-4711",
                     *           "Metadata": {
                     *             "cohort": "spring"
                     *           },
                     *           "LaunchURL": "https://lectern.example.com/launch?key=c2lnbmF0dXJl&enrolment=01994a5e-7c00-7000-8000-000000000001"
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Enrolment"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readEnrolment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
                /**
                 * @description Opaque ID of the enrolment.
                 * @example 01994a5e-7c00-7000-8000-000000000001
                 */
                EnrollID: components["parameters"]["EnrollID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The enrolment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *       "LoginID": "ada",
                     *       "CourseID": "fire-safety",
                     *       "DurationID": "30-days",
                     *       "CourseTitle": "Fire safety",
                     *       "Status": "enrolled",
                     *       "Completion": "unknown",
                     *       "Success": "unknown",
                     *       "Score": 85,
                     *       "Override": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85,
                     *         "Reason": "Passed the practical exam.",
                     *         "At": "2026-01-31T09:00:00Z"
                     *       },
                     *       "Recorded": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85
                     *       },
                     *       "Progress": 100,
                     *       "TotalSeconds": 1260,
                     *       "EnrolledAt": "2026-01-31T09:00:00Z",
                     *       "StartedAt": "2026-01-31T09:00:00Z",
                     *       "LastAccessedAt": "2026-01-31T09:00:00Z",
                     *       "CompletedAt": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "Launches": 1,
                     *       "Attempts": {
                     *         "Limit": 3,
                     *         "CoolDown": "P1D",
                     *         "Counts": "best",
                     *         "After": "failed",
                     *         "Review": false
                     *       },
                     *       "Attempt": 1,
                     *       "AttemptsUsed": 1,
                     *       "Reference": "order-4711",
                     *       "Metadata": {
                     *         "cohort": "spring"
                     *       },
                     *       "LaunchURL": "https://lectern.example.com/launch?key=c2lnbmF0dXJl&enrolment=01994a5e-7c00-7000-8000-000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["Enrolment"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["enrolment_not_found.tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    updateEnrolment: {
        parameters: {
            query?: {
                /**
                 * @description If true, returns the enrolment as it would be after the change, and changes nothing.
                 * @example true
                 */
                Plan?: boolean;
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
                /**
                 * @description Opaque ID of the enrolment.
                 * @example 01994a5e-7c00-7000-8000-000000000001
                 */
                EnrollID: components["parameters"]["EnrollID"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "Reference": "order-4711"
                 *     }
                 */
                "application/json": components["schemas"]["EnrolmentChange"];
            };
        };
        responses: {
            /** @description The changed enrolment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *       "LoginID": "ada",
                     *       "CourseID": "fire-safety",
                     *       "DurationID": "30-days",
                     *       "CourseTitle": "Fire safety",
                     *       "Status": "enrolled",
                     *       "Completion": "unknown",
                     *       "Success": "unknown",
                     *       "Score": 85,
                     *       "Override": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85,
                     *         "Reason": "Passed the practical exam.",
                     *         "At": "2026-01-31T09:00:00Z"
                     *       },
                     *       "Recorded": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85
                     *       },
                     *       "Progress": 100,
                     *       "TotalSeconds": 1260,
                     *       "EnrolledAt": "2026-01-31T09:00:00Z",
                     *       "StartedAt": "2026-01-31T09:00:00Z",
                     *       "LastAccessedAt": "2026-01-31T09:00:00Z",
                     *       "CompletedAt": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "Launches": 1,
                     *       "Attempts": {
                     *         "Limit": 3,
                     *         "CoolDown": "P1D",
                     *         "Counts": "best",
                     *         "After": "failed",
                     *         "Review": false
                     *       },
                     *       "Attempt": 1,
                     *       "AttemptsUsed": 1,
                     *       "Reference": "order-4711",
                     *       "Metadata": {
                     *         "cohort": "spring"
                     *       },
                     *       "LaunchURL": "https://lectern.example.com/launch?key=c2lnbmF0dXJl&enrolment=01994a5e-7c00-7000-8000-000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["Enrolment"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["enrolment_not_found.tenant_not_found"];
            409: components["responses"]["already_enrolled.no_seats_left.touched"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    explainEnrolment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
                /**
                 * @description Opaque ID of the enrolment.
                 * @example 01994a5e-7c00-7000-8000-000000000001
                 */
                EnrollID: components["parameters"]["EnrollID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules in order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *       "LoginID": "ada",
                     *       "CourseID": "fire-safety",
                     *       "MayLaunch": true,
                     *       "NextAttemptAt": null,
                     *       "Rules": [
                     *         {
                     *           "Rule": "user_enabled",
                     *           "Passed": true,
                     *           "Detail": "The user is enabled."
                     *         }
                     *       ],
                     *       "Unavailable": [
                     *         {
                     *           "UnitID": "lesson-1",
                     *           "Title": "Fire safety",
                     *           "Detail": "The user is enabled."
                     *         }
                     *       ],
                     *       "Claims": [
                     *         {
                     *           "At": "2026-01-31T09:00:00Z",
                     *           "Launch": 1,
                     *           "Commit": 1,
                     *           "UnitID": "lesson-1",
                     *           "Completion": "unknown",
                     *           "Success": "unknown",
                     *           "Score": 85,
                     *           "Progress": 100
                     *         }
                     *       ],
                     *       "Refused": [
                     *         {
                     *           "At": "2026-01-31T09:00:00Z",
                     *           "Launch": 1,
                     *           "Commit": 1,
                     *           "UnitID": "lesson-1",
                     *           "Code": "cmi5_violation",
                     *           "Detail": "The user is enabled."
                     *         }
                     *       ],
                     *       "Units": [
                     *         {
                     *           "UnitID": "lesson-1",
                     *           "Title": "Fire safety",
                     *           "MoveOn": "NotApplicable",
                     *           "Satisfied": true,
                     *           "CompletedAt": null,
                     *           "PassedAt": null,
                     *           "FailedAt": null,
                     *           "WaivedAt": null,
                     *           "Score": 85
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["enrolment_not_found.tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readTimeline: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
                /**
                 * @description Opaque ID of the enrolment.
                 * @example 01994a5e-7c00-7000-8000-000000000001
                 */
                EnrollID: components["parameters"]["EnrollID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Launches, commits and events, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "At": "2026-01-31T09:00:00Z",
                     *           "Kind": "launch",
                     *           "Type": null,
                     *           "Launch": 1,
                     *           "Commit": 1,
                     *           "UnitID": "lesson-1",
                     *           "Data": {},
                     *           "Warnings": [
                     *             "cmi.core.score.raw was above 100."
                     *           ],
                     *           "Refused": null,
                     *           "Claimed": {
                     *             "Completion": "unknown",
                     *             "Success": "unknown",
                     *             "Score": 85,
                     *             "Progress": 100
                     *           },
                     *           "Actor": "key",
                     *           "ActorName": "HR system"
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["TimelineEntry"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["enrolment_not_found.tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readActivity: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Number of the attempt. Default: the current one.
                 * @example 1
                 */
                Attempt?: number;
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
                /**
                 * @description Opaque ID of the enrolment.
                 * @example 01994a5e-7c00-7000-8000-000000000001
                 */
                EnrollID: components["parameters"]["EnrollID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of units, ordered by UnitID. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "UnitID": "lesson-1",
                     *           "Title": "Fire safety",
                     *           "Attempts": 1,
                     *           "Launch": 1,
                     *           "UpdatedAt": "2026-01-31T09:00:00Z",
                     *           "Completion": "unknown",
                     *           "Success": "unknown",
                     *           "Score": 85,
                     *           "Progress": 100,
                     *           "TotalSeconds": 1260,
                     *           "Objectives": [
                     *             {
                     *               "ObjectiveID": "exits",
                     *               "Description": "What to do when there is a fire.",
                     *               "Completion": "unknown",
                     *               "Success": "unknown",
                     *               "Score": 85
                     *             }
                     *           ],
                     *           "Interactions": [
                     *             {
                     *               "Number": 1,
                     *               "InteractionID": "question-1",
                     *               "Type": "enrolment.completed",
                     *               "Description": "What to do when there is a fire.",
                     *               "Time": "2026-01-31T09:00:00Z",
                     *               "Response": "a",
                     *               "CorrectResponses": [
                     *                 "b"
                     *               ],
                     *               "Result": "incorrect",
                     *               "Weighting": 1,
                     *               "LatencySeconds": 12.5,
                     *               "ObjectiveIDs": [
                     *                 "exits"
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["UnitActivity"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["enrolment_not_found.tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listCourseInteractions: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of interactions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *           "LoginID": "ada",
                     *           "Attempt": 1,
                     *           "UnitID": "lesson-1",
                     *           "UnitTitle": null,
                     *           "Number": 1,
                     *           "InteractionID": "question-1",
                     *           "Type": "enrolment.completed",
                     *           "Description": "What to do when there is a fire.",
                     *           "Time": "2026-01-31T09:00:00Z",
                     *           "Response": "a",
                     *           "CorrectResponses": [
                     *             "b"
                     *           ],
                     *           "Result": "incorrect",
                     *           "Weighting": 1,
                     *           "LatencySeconds": 12.5,
                     *           "ObjectiveIDs": [
                     *             "exits"
                     *           ]
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["CourseInteraction"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readCourseQuestions: {
        parameters: {
            query?: {
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The questions and their answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Questions": [
                     *         {
                     *           "UnitID": "lesson-1",
                     *           "UnitTitle": null,
                     *           "InteractionID": "question-1",
                     *           "Type": "enrolment.completed",
                     *           "Description": "What to do when there is a fire.",
                     *           "CorrectResponses": [
                     *             "b"
                     *           ],
                     *           "Answers": 40,
                     *           "Correct": 30,
                     *           "Incorrect": 10,
                     *           "Timed": 40,
                     *           "LatencySeconds": 12.5,
                     *           "Responses": [
                     *             {
                     *               "Response": "a",
                     *               "Answers": 30
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["CourseQuestions"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listAttempts: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
                /**
                 * @description Opaque ID of the enrolment.
                 * @example 01994a5e-7c00-7000-8000-000000000001
                 */
                EnrollID: components["parameters"]["EnrollID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Attempts, the current one last. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "Attempt": 1,
                     *           "StartedAt": "2026-01-31T09:00:00Z",
                     *           "FinishedAt": "2026-01-31T09:00:00Z",
                     *           "EndedAt": "2026-01-31T09:00:00Z",
                     *           "EndedBy": "launch",
                     *           "Reason": "Passed the practical exam.",
                     *           "Discarded": true,
                     *           "Completion": "unknown",
                     *           "Success": "unknown",
                     *           "Score": 85,
                     *           "Progress": 100,
                     *           "TotalSeconds": 1260,
                     *           "Launches": 1
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Attempt"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["enrolment_not_found.tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    resetEnrolment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
                /**
                 * @description Opaque ID of the enrolment.
                 * @example 01994a5e-7c00-7000-8000-000000000001
                 */
                EnrollID: components["parameters"]["EnrollID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Reason": "Passed the practical exam."
                 *     }
                 */
                "application/json": components["schemas"]["ResetRequest"];
            };
        };
        responses: {
            /** @description The enrolment without a result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *       "LoginID": "ada",
                     *       "CourseID": "fire-safety",
                     *       "DurationID": "30-days",
                     *       "CourseTitle": "Fire safety",
                     *       "Status": "enrolled",
                     *       "Completion": "unknown",
                     *       "Success": "unknown",
                     *       "Score": 85,
                     *       "Override": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85,
                     *         "Reason": "Passed the practical exam.",
                     *         "At": "2026-01-31T09:00:00Z"
                     *       },
                     *       "Recorded": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85
                     *       },
                     *       "Progress": 100,
                     *       "TotalSeconds": 1260,
                     *       "EnrolledAt": "2026-01-31T09:00:00Z",
                     *       "StartedAt": "2026-01-31T09:00:00Z",
                     *       "LastAccessedAt": "2026-01-31T09:00:00Z",
                     *       "CompletedAt": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "Launches": 1,
                     *       "Attempts": {
                     *         "Limit": 3,
                     *         "CoolDown": "P1D",
                     *         "Counts": "best",
                     *         "After": "failed",
                     *         "Review": false
                     *       },
                     *       "Attempt": 1,
                     *       "AttemptsUsed": 1,
                     *       "Reference": "order-4711",
                     *       "Metadata": {
                     *         "cohort": "spring"
                     *       },
                     *       "LaunchURL": "https://lectern.example.com/launch?key=c2lnbmF0dXJl&enrolment=01994a5e-7c00-7000-8000-000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["Enrolment"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.enrolment_not_found.tenant_not_found"];
            409: components["responses"]["not_resettable.in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createUsers: {
        parameters: {
            query?: {
                /**
                 * @description If true, the response says what would happen to each row, and nothing is changed.
                 * @example true
                 */
                Plan?: components["parameters"]["Plan"];
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {"LoginID":"grace","FirstName":"Grace"} */
                "application/x-ndjson": unknown;
                /**
                 * @example LoginID,FirstName
                 *     grace,Grace
                 */
                "text/csv": unknown;
            };
        };
        responses: {
            /** @description One line for each row, in order: `Row` (from 1), `Status` as in the single call, and either the IDs of the record or `code` and `detail`. `Trimmed` names the ID fields from which surrounding spaces or invisible characters were removed. With the query `Plan=true`, `Plan` is created, updated, exists, differs or error. `Changed` lists the fields that an update changed, and `SimilarLoginID` is an existing LoginID that differs only in case from the one that would be created. `SameEmailLoginID` is another user, or the user in an earlier row of the same batch of 200, with the Email that the row would set. `Damaged` names the fields whose values look like errors or numbers of a spreadsheet, such as #N/A or 1.23457E+11. CSV includes none of these. Send `Accept: text/csv` to get CSV. If the row has a CourseID and its user was accepted, `Enrolment` has the same fields for the enrolment: its own `Status`, and either its IDs or `code` and `detail`. In CSV, these are columns such as `Enrolment.Status`; they are missing if the rows were sent as CSV without CourseID. A plan covers 200 rows at a time, so a new user in several rows can be reported as created more than once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    enrolMany: {
        parameters: {
            query?: {
                /**
                 * @description If true, the response says what would happen to each row, and nothing is changed.
                 * @example true
                 */
                Plan?: components["parameters"]["Plan"];
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {"LoginID":"ada","CourseID":"fire-safety","DurationID":"30-days"} */
                "application/x-ndjson": unknown;
                /**
                 * @example LoginID,CourseID,DurationID
                 *     ada,fire-safety,30-days
                 */
                "text/csv": unknown;
            };
        };
        responses: {
            /** @description One line for each row, in order: `Row` (from 1), `Status` as in the single call, and either the IDs of the record or `code` and `detail`. `Trimmed` names the ID fields from which surrounding spaces or invisible characters were removed. With the query `Plan=true`, `Plan` is created, updated, exists, differs or error. `Changed` lists the fields that an update changed, and `SimilarLoginID` is an existing LoginID that differs only in case from the one that would be created. `SameEmailLoginID` is another user, or the user in an earlier row of the same batch of 200, with the Email that the row would set. `Damaged` names the fields whose values look like errors or numbers of a spreadsheet, such as #N/A or 1.23457E+11. CSV includes none of these. Send `Accept: text/csv` to get CSV. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listEnrolmentKeys: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Sort order. Default: oldest.
                 * @example oldest
                 */
                Order?: components["parameters"]["Order"];
                /**
                 * @description If true, the first page has a `Count` of the records that match the filters.
                 * @example true
                 */
                Count?: components["parameters"]["Count"];
                /** @example PO-2026-17 */
                PurchaseOrder?: string;
                /** @example available */
                Status?: "available" | "scheduled" | "redeemed" | "expired" | "revoked";
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "KeyID": "01994a5e-7c00-7000-8000-000000000003",
                     *           "KeyStart": "F7K2",
                     *           "CourseIDs": [
                     *             "fire-safety"
                     *           ],
                     *           "DurationIDs": [
                     *             "30-days"
                     *           ],
                     *           "Status": "available",
                     *           "LoginID": "ada",
                     *           "Group": "Engineering",
                     *           "PurchaseOrder": "PO-2026-17",
                     *           "ValidFrom": "2026-01-31T09:00:00Z",
                     *           "ValidUntil": "2026-01-31T09:00:00Z",
                     *           "CreatedAt": "2026-01-31T09:00:00Z",
                     *           "RevokedAt": null,
                     *           "RedeemedAt": "2026-01-31T09:00:00Z",
                     *           "RedeemedBy": null,
                     *           "EnrollIDs": [
                     *             "01994a5e-7c00-7000-8000-000000000001"
                     *           ]
                     *         }
                     *       ],
                     *       "NextCursor": null,
                     *       "Count": {
                     *         "Records": 1,
                     *         "More": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["EnrolmentKey"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                        Count?: {
                            Records: number;
                            /** @description If true, there are at least this many records. */
                            More: boolean;
                        };
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    issueEnrolmentKeys: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "CourseIDs": [
                 *         "fire-safety"
                 *       ],
                 *       "DurationIDs": [
                 *         "30-days"
                 *       ],
                 *       "PurchaseOrder": "PO-2026-17"
                 *     }
                 */
                "application/json": components["schemas"]["NewEnrolmentKeys"];
            };
        };
        responses: {
            /** @description Created. Each Key is shown only once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "KeyID": "01994a5e-7c00-7000-8000-000000000003",
                     *           "KeyStart": "F7K2",
                     *           "CourseIDs": [
                     *             "fire-safety"
                     *           ],
                     *           "DurationIDs": [
                     *             "30-days"
                     *           ],
                     *           "Status": "available",
                     *           "LoginID": "ada",
                     *           "Group": "Engineering",
                     *           "PurchaseOrder": "PO-2026-17",
                     *           "ValidFrom": "2026-01-31T09:00:00Z",
                     *           "ValidUntil": "2026-01-31T09:00:00Z",
                     *           "CreatedAt": "2026-01-31T09:00:00Z",
                     *           "RevokedAt": null,
                     *           "RedeemedAt": "2026-01-31T09:00:00Z",
                     *           "RedeemedBy": null,
                     *           "EnrollIDs": [
                     *             "01994a5e-7c00-7000-8000-000000000001"
                     *           ],
                     *           "Key": "F7K2-9XQM-4TRW-8HDN"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["IssuedEnrolmentKeys"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.course_not_found.option_not_found.tenant_not_found"];
            409: components["responses"]["course_retired.in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readEnrolmentKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description The KeyID, or the key itself.
                 * @example F7K2-9XQM-4TRW-8HDN
                 */
                Key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "KeyID": "01994a5e-7c00-7000-8000-000000000003",
                     *       "KeyStart": "F7K2",
                     *       "CourseIDs": [
                     *         "fire-safety"
                     *       ],
                     *       "DurationIDs": [
                     *         "30-days"
                     *       ],
                     *       "Status": "available",
                     *       "LoginID": "ada",
                     *       "Group": "Engineering",
                     *       "PurchaseOrder": "PO-2026-17",
                     *       "ValidFrom": "2026-01-31T09:00:00Z",
                     *       "ValidUntil": "2026-01-31T09:00:00Z",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "RevokedAt": null,
                     *       "RedeemedAt": "2026-01-31T09:00:00Z",
                     *       "RedeemedBy": null,
                     *       "EnrollIDs": [
                     *         "01994a5e-7c00-7000-8000-000000000001"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EnrolmentKey"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found.key_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.key_mistyped"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    revokeEnrolmentKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description The KeyID, or the key itself.
                 * @example F7K2-9XQM-4TRW-8HDN
                 */
                Key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revoked key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "KeyID": "01994a5e-7c00-7000-8000-000000000003",
                     *       "KeyStart": "F7K2",
                     *       "CourseIDs": [
                     *         "fire-safety"
                     *       ],
                     *       "DurationIDs": [
                     *         "30-days"
                     *       ],
                     *       "Status": "available",
                     *       "LoginID": "ada",
                     *       "Group": "Engineering",
                     *       "PurchaseOrder": "PO-2026-17",
                     *       "ValidFrom": "2026-01-31T09:00:00Z",
                     *       "ValidUntil": "2026-01-31T09:00:00Z",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "RevokedAt": null,
                     *       "RedeemedAt": "2026-01-31T09:00:00Z",
                     *       "RedeemedBy": null,
                     *       "EnrollIDs": [
                     *         "01994a5e-7c00-7000-8000-000000000001"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EnrolmentKey"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found.key_not_found"];
            409: components["responses"]["key_redeemed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.key_mistyped"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    checkEnrolmentKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
                /**
                 * @description The key as typed. Case, hyphens and spaces are ignored; O is read as 0, I and L as 1.
                 * @example F7K2-9XQM-4TRW-8HDN
                 */
                Key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "IfEnrolled": "extend"
                 *     }
                 */
                "application/json": components["schemas"]["KeyRedemption"];
            };
        };
        responses: {
            /** @description The courses of the key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "KeyID": "01994a5e-7c00-7000-8000-000000000003",
                     *       "RedeemedAt": "2026-01-31T09:00:00Z",
                     *       "Courses": [
                     *         {
                     *           "CourseID": "fire-safety",
                     *           "CourseTitle": "Fire safety",
                     *           "DurationID": "30-days",
                     *           "Duration": "P30D",
                     *           "StartsOn": "enrolment",
                     *           "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *           "ExpiresAt": "2026-01-31T09:00:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CheckedEnrolmentKey"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.course_not_found.option_not_found.tenant_not_found.key_not_found"];
            409: components["responses"]["user_disabled.course_retired.already_enrolled.too_many_enrolments.no_seats_left.in_progress.key_redeemed.key_revoked.key_expired.key_not_yet_valid.key_of_other_user.key_of_other_group"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.key_mistyped.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests.key_throttled"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    redeemEnrolmentKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
                /**
                 * @description The key as typed. Case, hyphens and spaces are ignored; O is read as 0, I and L as 1.
                 * @example F7K2-9XQM-4TRW-8HDN
                 */
                Key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "IfEnrolled": "extend"
                 *     }
                 */
                "application/json": components["schemas"]["KeyRedemption"];
            };
        };
        responses: {
            /** @description This user has already redeemed the key: a safe retry. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "KeyID": "01994a5e-7c00-7000-8000-000000000003",
                     *       "RedeemedAt": "2026-01-31T09:00:00Z",
                     *       "Enrolments": [
                     *         {
                     *           "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *           "LoginID": "ada",
                     *           "CourseID": "fire-safety",
                     *           "DurationID": "30-days",
                     *           "CourseTitle": "Fire safety",
                     *           "Status": "enrolled",
                     *           "Completion": "unknown",
                     *           "Success": "unknown",
                     *           "Score": 85,
                     *           "Override": {
                     *             "Completion": "unknown",
                     *             "Success": "unknown",
                     *             "Score": 85,
                     *             "Reason": "Passed the practical exam.",
                     *             "At": "2026-01-31T09:00:00Z"
                     *           },
                     *           "Recorded": {
                     *             "Completion": "unknown",
                     *             "Success": "unknown",
                     *             "Score": 85
                     *           },
                     *           "Progress": 100,
                     *           "TotalSeconds": 1260,
                     *           "EnrolledAt": "2026-01-31T09:00:00Z",
                     *           "StartedAt": "2026-01-31T09:00:00Z",
                     *           "LastAccessedAt": "2026-01-31T09:00:00Z",
                     *           "CompletedAt": "2026-01-31T09:00:00Z",
                     *           "ExpiresAt": "2026-01-31T09:00:00Z",
                     *           "Launches": 1,
                     *           "Attempts": {
                     *             "Limit": 3,
                     *             "CoolDown": "P1D",
                     *             "Counts": "best",
                     *             "After": "failed",
                     *             "Review": false
                     *           },
                     *           "Attempt": 1,
                     *           "AttemptsUsed": 1,
                     *           "Reference": "order-4711",
                     *           "Metadata": {
                     *             "cohort": "spring"
                     *           },
                     *           "LaunchURL": "https://lectern.example.com/launch?key=c2lnbmF0dXJl&enrolment=01994a5e-7c00-7000-8000-000000000001"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RedeemedEnrolmentKey"];
                };
            };
            /** @description Redeemed: the user is enrolled on all courses. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "KeyID": "01994a5e-7c00-7000-8000-000000000003",
                     *       "RedeemedAt": "2026-01-31T09:00:00Z",
                     *       "Enrolments": [
                     *         {
                     *           "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *           "LoginID": "ada",
                     *           "CourseID": "fire-safety",
                     *           "DurationID": "30-days",
                     *           "CourseTitle": "Fire safety",
                     *           "Status": "enrolled",
                     *           "Completion": "unknown",
                     *           "Success": "unknown",
                     *           "Score": 85,
                     *           "Override": {
                     *             "Completion": "unknown",
                     *             "Success": "unknown",
                     *             "Score": 85,
                     *             "Reason": "Passed the practical exam.",
                     *             "At": "2026-01-31T09:00:00Z"
                     *           },
                     *           "Recorded": {
                     *             "Completion": "unknown",
                     *             "Success": "unknown",
                     *             "Score": 85
                     *           },
                     *           "Progress": 100,
                     *           "TotalSeconds": 1260,
                     *           "EnrolledAt": "2026-01-31T09:00:00Z",
                     *           "StartedAt": "2026-01-31T09:00:00Z",
                     *           "LastAccessedAt": "2026-01-31T09:00:00Z",
                     *           "CompletedAt": "2026-01-31T09:00:00Z",
                     *           "ExpiresAt": "2026-01-31T09:00:00Z",
                     *           "Launches": 1,
                     *           "Attempts": {
                     *             "Limit": 3,
                     *             "CoolDown": "P1D",
                     *             "Counts": "best",
                     *             "After": "failed",
                     *             "Review": false
                     *           },
                     *           "Attempt": 1,
                     *           "AttemptsUsed": 1,
                     *           "Reference": "order-4711",
                     *           "Metadata": {
                     *             "cohort": "spring"
                     *           },
                     *           "LaunchURL": "https://lectern.example.com/launch?key=c2lnbmF0dXJl&enrolment=01994a5e-7c00-7000-8000-000000000001"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RedeemedEnrolmentKey"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.course_not_found.option_not_found.tenant_not_found.key_not_found"];
            409: components["responses"]["user_disabled.course_retired.already_enrolled.too_many_enrolments.no_seats_left.in_progress.key_redeemed.key_revoked.key_expired.key_not_yet_valid.key_of_other_user.key_of_other_group"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.key_mistyped.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests.key_throttled"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    exportUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object with one list for each kind of data. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createSignInLink: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["SignInRequest"];
            };
        };
        responses: {
            /** @description The link. Redirect the user's browser to it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "SignInURL": "https://lectern.example.com/session/sign-in?token=eyJhbGciOiJkaXIifQ",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SignInLink"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            409: components["responses"]["user_disabled.in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    openSignInLink: {
        parameters: {
            query?: {
                /**
                 * @description Part of the sign-in link.
                 * @example eyJhbGciOiJkaXIifQ
                 */
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page with one button. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["malformed_request"];
            /** @description The tenant is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The link has expired or has been used. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "eyJhbGciOiJkaXIifQ"
                 *     }
                 */
                "application/json": {
                    /** @description Part of the sign-in link. */
                    token: string;
                };
                /**
                 * @example {
                 *       "token": "eyJhbGciOiJkaXIifQ"
                 *     }
                 */
                "application/x-www-form-urlencoded": {
                    /** @description Part of the sign-in link. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Signed in: sets the session cookie and redirects to the page. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            /** @description The form was sent by another site, or the tenant is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The link has expired or has been used. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readPasswordFunction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description TenantID or Name of the tenant, ignoring case. A Name that several tenants share does not work.
                 * @example acme
                 */
                TenantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description sha256-hex if the tenant is unknown or has declared no function. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "PasswordHash": "sha256-hex"
                     *     }
                     */
                    "application/json": components["schemas"]["PasswordFunction"];
                };
            };
            400: components["responses"]["malformed_request"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Role": "operator",
                     *       "TenantID": "acme",
                     *       "TenantName": "Acme Ltd",
                     *       "LoginID": "ada",
                     *       "FirstName": "Ada",
                     *       "LastName": "Lovelace",
                     *       "Scopes": [
                     *         "users:read",
                     *         "users:write"
                     *       ],
                     *       "NextStep": "use_passkey",
                     *       "SignedInAt": "2026-01-31T09:00:00Z",
                     *       "IdleUntil": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "Branding": {
                     *         "Name": "30 days",
                     *         "Language": "en",
                     *         "LogoURL": "https://lectern.example.com/branding/acme/logo/JeEl-t9mZ4GQvG-8oxI7d3",
                     *         "Colour": "#0057b8",
                     *         "Light": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         },
                     *         "Dark": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["signed_out"];
            403: components["responses"]["cross_site.tenant_suspended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    signInWithPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "TenantID": "acme",
                 *       "LoginID": "ada",
                 *       "Password": "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordSignIn"];
            };
        };
        responses: {
            /** @description Signed in: the session and its cookie. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Role": "operator",
                     *       "TenantID": "acme",
                     *       "TenantName": "Acme Ltd",
                     *       "LoginID": "ada",
                     *       "FirstName": "Ada",
                     *       "LastName": "Lovelace",
                     *       "Scopes": [
                     *         "users:read",
                     *         "users:write"
                     *       ],
                     *       "NextStep": "use_passkey",
                     *       "SignedInAt": "2026-01-31T09:00:00Z",
                     *       "IdleUntil": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "Branding": {
                     *         "Name": "30 days",
                     *         "Language": "en",
                     *         "LogoURL": "https://lectern.example.com/branding/acme/logo/JeEl-t9mZ4GQvG-8oxI7d3",
                     *         "Colour": "#0057b8",
                     *         "Light": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         },
                     *         "Dark": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["signed_out.sign_in_failed"];
            403: components["responses"]["cross_site.tenant_suspended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests.login_throttled"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    signOut: {
        parameters: {
            query?: {
                /**
                 * @description true signs this person, or the operator, out on all devices.
                 * @example true
                 */
                Everywhere?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user has been signed out, or nobody was signed in. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            403: components["responses"]["cross_site"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readOpenInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Token": "eyJhbGciOiJkaXIifQ"
                 *     }
                 */
                "application/json": components["schemas"]["InvitationToken"];
            };
        };
        responses: {
            /** @description The link can be used. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "TenantID": "acme",
                     *       "TenantName": "Acme Ltd",
                     *       "LoginID": "ada",
                     *       "FirstName": "Ada",
                     *       "LastName": "Lovelace",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "PasswordHash": "sha256-hex",
                     *       "Branding": {
                     *         "Name": "30 days",
                     *         "Language": "en",
                     *         "LogoURL": "https://lectern.example.com/branding/acme/logo/JeEl-t9mZ4GQvG-8oxI7d3",
                     *         "Colour": "#0057b8",
                     *         "Light": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         },
                     *         "Dark": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["OpenInvitation"];
                };
            };
            400: components["responses"]["malformed_request"];
            403: components["responses"]["cross_site"];
            410: components["responses"]["invitation_ended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Token": "eyJhbGciOiJkaXIifQ",
                 *       "Password": "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"
                 *     }
                 */
                "application/json": components["schemas"]["InvitationAcceptance"];
            };
        };
        responses: {
            /** @description Signed in: the session and its cookie. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Role": "operator",
                     *       "TenantID": "acme",
                     *       "TenantName": "Acme Ltd",
                     *       "LoginID": "ada",
                     *       "FirstName": "Ada",
                     *       "LastName": "Lovelace",
                     *       "Scopes": [
                     *         "users:read",
                     *         "users:write"
                     *       ],
                     *       "NextStep": "use_passkey",
                     *       "SignedInAt": "2026-01-31T09:00:00Z",
                     *       "IdleUntil": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "Branding": {
                     *         "Name": "30 days",
                     *         "Language": "en",
                     *         "LogoURL": "https://lectern.example.com/branding/acme/logo/JeEl-t9mZ4GQvG-8oxI7d3",
                     *         "Colour": "#0057b8",
                     *         "Light": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         },
                     *         "Dark": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["signed_out"];
            403: components["responses"]["cross_site"];
            410: components["responses"]["invitation_ended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.password_not_hashed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Token": "eyJhbGciOiJkaXIifQ",
                 *       "Password": "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"
                 *     }
                 */
                "application/json": components["schemas"]["InvitationAcceptance"];
            };
        };
        responses: {
            /** @description Signed in: the session and its cookie. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Role": "operator",
                     *       "TenantID": "acme",
                     *       "TenantName": "Acme Ltd",
                     *       "LoginID": "ada",
                     *       "FirstName": "Ada",
                     *       "LastName": "Lovelace",
                     *       "Scopes": [
                     *         "users:read",
                     *         "users:write"
                     *       ],
                     *       "NextStep": "use_passkey",
                     *       "SignedInAt": "2026-01-31T09:00:00Z",
                     *       "IdleUntil": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "Branding": {
                     *         "Name": "30 days",
                     *         "Language": "en",
                     *         "LogoURL": "https://lectern.example.com/branding/acme/logo/JeEl-t9mZ4GQvG-8oxI7d3",
                     *         "Colour": "#0057b8",
                     *         "Light": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         },
                     *         "Dark": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["malformed_request"];
            401: components["responses"]["signed_out"];
            403: components["responses"]["cross_site"];
            410: components["responses"]["reset_ended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.password_not_hashed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    forgetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "TenantID": "acme",
                 *       "LoginID": "ada"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordForgotten"];
            };
        };
        responses: {
            /** @description If the user can reset the password, an email is on its way. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            403: components["responses"]["cross_site"];
            409: components["responses"]["mail_not_configured"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests.login_throttled"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readOpenReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Token": "eyJhbGciOiJkaXIifQ"
                 *     }
                 */
                "application/json": components["schemas"]["InvitationToken"];
            };
        };
        responses: {
            /** @description The link can be used. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "TenantID": "acme",
                     *       "TenantName": "Acme Ltd",
                     *       "LoginID": "ada",
                     *       "FirstName": "Ada",
                     *       "LastName": "Lovelace",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "PasswordHash": "sha256-hex",
                     *       "Branding": {
                     *         "Name": "30 days",
                     *         "Language": "en",
                     *         "LogoURL": "https://lectern.example.com/branding/acme/logo/JeEl-t9mZ4GQvG-8oxI7d3",
                     *         "Colour": "#0057b8",
                     *         "Light": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         },
                     *         "Dark": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["OpenInvitation"];
                };
            };
            400: components["responses"]["malformed_request"];
            403: components["responses"]["cross_site"];
            410: components["responses"]["reset_ended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    changeOwnPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "OldPassword": "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8",
                 *       "Password": "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"
                 *     }
                 */
                "application/json": components["schemas"]["OwnPasswordChange"];
            };
        };
        responses: {
            /** @description The password has been changed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["signed_out"];
            403: components["responses"]["passkey_required.cross_site.tenant_suspended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.password_wrong.password_not_hashed"];
            429: components["responses"]["too_many_requests.login_throttled"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createPasskeyChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Purpose": "add"
                 *     }
                 */
                "application/json": components["schemas"]["PasskeyPurpose"];
            };
        };
        responses: {
            /** @description The challenge. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Challenge": "Zk3q0m8uY2hhbGxlbmdlLWV4YW1wbGU",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "RelyingPartyID": "lms.example",
                     *       "UserHandle": "MDE5OTRhNWUtN2MwMC03MDAw",
                     *       "UserName": "ada",
                     *       "DisplayName": "Ada Lovelace",
                     *       "Credentials": [
                     *         {
                     *           "CredentialID": "AZp3cGtleS1pZC1leGFtcGxl",
                     *           "Transports": [
                     *             "internal"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyChallenge"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["signed_out"];
            403: components["responses"]["own_only.passkey_required.cross_site.tenant_suspended"];
            409: components["responses"]["passkeys_unavailable"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests.login_throttled"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    usePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "CredentialID": "AZp3cGtleS1pZC1leGFtcGxl",
                 *       "ClientData": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *       "AuthenticatorData": "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ",
                 *       "Signature": "MEUCIQDsZXhhbXBsZQIgc2lnbmF0dXJl"
                 *     }
                 */
                "application/json": components["schemas"]["PasskeyAnswer"];
            };
        };
        responses: {
            /** @description Signed in: the session and its cookie. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Role": "operator",
                     *       "TenantID": "acme",
                     *       "TenantName": "Acme Ltd",
                     *       "LoginID": "ada",
                     *       "FirstName": "Ada",
                     *       "LastName": "Lovelace",
                     *       "Scopes": [
                     *         "users:read",
                     *         "users:write"
                     *       ],
                     *       "NextStep": "use_passkey",
                     *       "SignedInAt": "2026-01-31T09:00:00Z",
                     *       "IdleUntil": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "Branding": {
                     *         "Name": "30 days",
                     *         "Language": "en",
                     *         "LogoURL": "https://lectern.example.com/branding/acme/logo/JeEl-t9mZ4GQvG-8oxI7d3",
                     *         "Colour": "#0057b8",
                     *         "Light": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         },
                     *         "Dark": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["signed_out"];
            403: components["responses"]["own_only.cross_site.tenant_suspended"];
            409: components["responses"]["passkeys_unavailable"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.passkey_rejected"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listOwnPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The passkeys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "PasskeyID": "01994a5e-7c00-7000-8000-000000000000",
                     *           "Name": "Laptop",
                     *           "CreatedAt": "2026-01-31T09:00:00Z",
                     *           "LastUsedAt": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyList"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["signed_out"];
            403: components["responses"]["own_only.passkey_required.cross_site.tenant_suspended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    addPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "Laptop",
                 *       "CredentialID": "AZp3cGtleS1pZC1leGFtcGxl",
                 *       "ClientData": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *       "AttestationObject": "o2NmbXRkbm9uZWdhdHRTdG10oA"
                 *     }
                 */
                "application/json": components["schemas"]["NewPasskey"];
            };
        };
        responses: {
            /** @description The passkey, and a new cookie for the session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "PasskeyID": "01994a5e-7c00-7000-8000-000000000000",
                     *       "Name": "Laptop",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "LastUsedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["signed_out"];
            403: components["responses"]["own_only.passkey_required.cross_site.tenant_suspended"];
            409: components["responses"]["passkey_limit.passkeys_unavailable"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.passkey_rejected"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    renamePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01994a5e-7c00-7000-8000-000000000000 */
                PasskeyID: components["parameters"]["PasskeyID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "Old laptop"
                 *     }
                 */
                "application/json": components["schemas"]["PasskeyName"];
            };
        };
        responses: {
            /** @description The renamed passkey. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "PasskeyID": "01994a5e-7c00-7000-8000-000000000000",
                     *       "Name": "Laptop",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "LastUsedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["signed_out"];
            403: components["responses"]["own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["passkey_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    removePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 01994a5e-7c00-7000-8000-000000000000 */
                PasskeyID: components["parameters"]["PasskeyID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The passkey has been removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["signed_out"];
            403: components["responses"]["own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["passkey_not_found"];
            409: components["responses"]["last_passkey"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listUserPasskeys: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The passkeys, without their keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "PasskeyID": "01994a5e-7c00-7000-8000-000000000000",
                     *           "Name": "Laptop",
                     *           "CreatedAt": "2026-01-31T09:00:00Z",
                     *           "LastUsedAt": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyList"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    removeUserPasskeys: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user no longer has any passkeys. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listOfferedCourses: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @description If true, the first page has a `Count` of the records that match the filters.
                 * @example true
                 */
                Count?: components["parameters"]["Count"];
                /**
                 * @description Text to find in Title or CourseID, ignoring case.
                 * @example ada
                 */
                Search?: components["parameters"]["Search"];
                /** @example published */
                Status?: "published" | "retired";
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of courses, ordered by CourseID. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "CourseID": "fire-safety",
                     *           "Title": "Fire safety",
                     *           "Description": "What to do when there is a fire.",
                     *           "Language": "en",
                     *           "ImageURL": "https://cdn.example.com/fire-safety.png",
                     *           "Standard": "scorm12",
                     *           "Status": "draft",
                     *           "Release": 1,
                     *           "AvailableEnrolOptions": [
                     *             {
                     *               "DurationID": "30-days",
                     *               "Name": "30 days",
                     *               "Duration": "P30D",
                     *               "StartsOn": "enrolment",
                     *               "Seats": 100,
                     *               "Groups": [
                     *                 "Engineering"
                     *               ],
                     *               "Price": {
                     *                 "Amount": "49.00",
                     *                 "Currency": "EUR"
                     *               },
                     *               "Status": "draft",
                     *               "Attempts": {
                     *                 "Limit": 3,
                     *                 "CoolDown": "P1D",
                     *                 "Counts": "best",
                     *                 "After": "failed",
                     *                 "Review": false
                     *               },
                     *               "SeatsLeft": 99
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "NextCursor": null,
                     *       "Count": {
                     *         "Records": 1,
                     *         "More": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Course"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                        Count?: {
                            Records: number;
                            /** @description If true, there are at least this many records. */
                            More: boolean;
                        };
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listCourses: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @description If true, the first page has a `Count` of the records that match the filters.
                 * @example true
                 */
                Count?: components["parameters"]["Count"];
                /**
                 * @description Text to find in Title or CourseID, ignoring case.
                 * @example ada
                 */
                Search?: components["parameters"]["Search"];
                /** @example draft */
                Status?: "draft" | "published" | "retired";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of courses, ordered by CourseID. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "CourseID": "fire-safety",
                     *           "Title": "Fire safety",
                     *           "Description": "What to do when there is a fire.",
                     *           "Language": "en",
                     *           "ImageURL": "https://cdn.example.com/fire-safety.png",
                     *           "URL": "https://courses.example.com/fire-safety",
                     *           "Tenants": [
                     *             "acme"
                     *           ],
                     *           "Standard": "scorm12",
                     *           "Status": "draft",
                     *           "Release": 1,
                     *           "Warnings": 0,
                     *           "Errors": 1,
                     *           "EnrolOptions": [
                     *             {
                     *               "DurationID": "30-days",
                     *               "Name": "30 days",
                     *               "Duration": "P30D",
                     *               "StartsOn": "enrolment",
                     *               "Seats": 100,
                     *               "Groups": [
                     *                 "Engineering"
                     *               ],
                     *               "Price": {
                     *                 "Amount": "49.00",
                     *                 "Currency": "EUR"
                     *               },
                     *               "Status": "draft",
                     *               "Attempts": {
                     *                 "Limit": 3,
                     *                 "CoolDown": "P1D",
                     *                 "Counts": "best",
                     *                 "After": "failed",
                     *                 "Review": false
                     *               },
                     *               "SeatsLeft": 99
                     *             }
                     *           ],
                     *           "CreatedAt": "2026-01-31T09:00:00Z",
                     *           "UpdatedAt": "2026-01-31T09:00:00Z"
                     *         }
                     *       ],
                     *       "NextCursor": null,
                     *       "Count": {
                     *         "Records": 1,
                     *         "More": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["AuthoredCourse"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                        Count?: {
                            Records: number;
                            /** @description If true, there are at least this many records. */
                            More: boolean;
                        };
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readCourse: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The course with all its options. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "CourseID": "fire-safety",
                     *       "Title": "Fire safety",
                     *       "Description": "What to do when there is a fire.",
                     *       "Language": "en",
                     *       "ImageURL": "https://cdn.example.com/fire-safety.png",
                     *       "URL": "https://courses.example.com/fire-safety",
                     *       "Tenants": [
                     *         "acme"
                     *       ],
                     *       "Standard": "scorm12",
                     *       "Status": "draft",
                     *       "Release": 1,
                     *       "Warnings": 0,
                     *       "Errors": 1,
                     *       "EnrolOptions": [
                     *         {
                     *           "DurationID": "30-days",
                     *           "Name": "30 days",
                     *           "Duration": "P30D",
                     *           "StartsOn": "enrolment",
                     *           "Seats": 100,
                     *           "Groups": [
                     *             "Engineering"
                     *           ],
                     *           "Price": {
                     *             "Amount": "49.00",
                     *             "Currency": "EUR"
                     *           },
                     *           "Status": "draft",
                     *           "Attempts": {
                     *             "Limit": 3,
                     *             "CoolDown": "P1D",
                     *             "Counts": "best",
                     *             "After": "failed",
                     *             "Review": false
                     *           },
                     *           "SeatsLeft": 99
                     *         }
                     *       ],
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AuthoredCourse"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["course_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    putCourse: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "Title": "Fire safety",
                 *       "Description": "What to do when there is a fire.",
                 *       "Language": "en"
                 *     }
                 */
                "application/json": components["schemas"]["CourseChange"];
            };
        };
        responses: {
            /** @description Changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "CourseID": "fire-safety",
                     *       "Title": "Fire safety",
                     *       "Description": "What to do when there is a fire.",
                     *       "Language": "en",
                     *       "ImageURL": "https://cdn.example.com/fire-safety.png",
                     *       "URL": "https://courses.example.com/fire-safety",
                     *       "Tenants": [
                     *         "acme"
                     *       ],
                     *       "Standard": "scorm12",
                     *       "Status": "draft",
                     *       "Release": 1,
                     *       "Warnings": 0,
                     *       "Errors": 1,
                     *       "EnrolOptions": [
                     *         {
                     *           "DurationID": "30-days",
                     *           "Name": "30 days",
                     *           "Duration": "P30D",
                     *           "StartsOn": "enrolment",
                     *           "Seats": 100,
                     *           "Groups": [
                     *             "Engineering"
                     *           ],
                     *           "Price": {
                     *             "Amount": "49.00",
                     *             "Currency": "EUR"
                     *           },
                     *           "Status": "draft",
                     *           "Attempts": {
                     *             "Limit": 3,
                     *             "CoolDown": "P1D",
                     *             "Counts": "best",
                     *             "After": "failed",
                     *             "Review": false
                     *           },
                     *           "SeatsLeft": 99
                     *         }
                     *       ],
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AuthoredCourse"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "CourseID": "fire-safety",
                     *       "Title": "Fire safety",
                     *       "Description": "What to do when there is a fire.",
                     *       "Language": "en",
                     *       "ImageURL": "https://cdn.example.com/fire-safety.png",
                     *       "URL": "https://courses.example.com/fire-safety",
                     *       "Tenants": [
                     *         "acme"
                     *       ],
                     *       "Standard": "scorm12",
                     *       "Status": "draft",
                     *       "Release": 1,
                     *       "Warnings": 0,
                     *       "Errors": 1,
                     *       "EnrolOptions": [
                     *         {
                     *           "DurationID": "30-days",
                     *           "Name": "30 days",
                     *           "Duration": "P30D",
                     *           "StartsOn": "enrolment",
                     *           "Seats": 100,
                     *           "Groups": [
                     *             "Engineering"
                     *           ],
                     *           "Price": {
                     *             "Amount": "49.00",
                     *             "Currency": "EUR"
                     *           },
                     *           "Status": "draft",
                     *           "Attempts": {
                     *             "Limit": 3,
                     *             "CoolDown": "P1D",
                     *             "Counts": "best",
                     *             "After": "failed",
                     *             "Review": false
                     *           },
                     *           "SeatsLeft": 99
                     *         }
                     *       ],
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AuthoredCourse"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    deleteCourse: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted with its options, releases and files. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["course_not_found"];
            409: components["responses"]["course_in_use"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    putOption: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
                /**
                 * @description ID of the enrolment option, unique within its course. Chosen by the operator.
                 * @example 30-days
                 */
                DurationID: components["parameters"]["DurationID"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "Name": "30 days",
                 *       "Duration": "P30D"
                 *     }
                 */
                "application/json": components["schemas"]["EnrolOptionChange"];
            };
        };
        responses: {
            /** @description Changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "DurationID": "30-days",
                     *       "Name": "30 days",
                     *       "Duration": "P30D",
                     *       "StartsOn": "enrolment",
                     *       "Seats": 100,
                     *       "Groups": [
                     *         "Engineering"
                     *       ],
                     *       "Price": {
                     *         "Amount": "49.00",
                     *         "Currency": "EUR"
                     *       },
                     *       "Status": "draft",
                     *       "Attempts": {
                     *         "Limit": 3,
                     *         "CoolDown": "P1D",
                     *         "Counts": "best",
                     *         "After": "failed",
                     *         "Review": false
                     *       },
                     *       "SeatsLeft": 99
                     *     }
                     */
                    "application/json": components["schemas"]["EnrolOption"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "DurationID": "30-days",
                     *       "Name": "30 days",
                     *       "Duration": "P30D",
                     *       "StartsOn": "enrolment",
                     *       "Seats": 100,
                     *       "Groups": [
                     *         "Engineering"
                     *       ],
                     *       "Price": {
                     *         "Amount": "49.00",
                     *         "Currency": "EUR"
                     *       },
                     *       "Status": "draft",
                     *       "Attempts": {
                     *         "Limit": 3,
                     *         "CoolDown": "P1D",
                     *         "Counts": "best",
                     *         "After": "failed",
                     *         "Review": false
                     *       },
                     *       "SeatsLeft": 99
                     *     }
                     */
                    "application/json": components["schemas"]["EnrolOption"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["course_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    deleteOption: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
                /**
                 * @description ID of the enrolment option, unique within its course. Chosen by the operator.
                 * @example 30-days
                 */
                DurationID: components["parameters"]["DurationID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["option_not_found"];
            409: components["responses"]["option_in_use"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readCurrentRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The release. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "CourseID": "fire-safety",
                     *       "Release": 1,
                     *       "Current": true,
                     *       "Standard": "scorm12",
                     *       "AuthoringTool": "Lectora",
                     *       "Title": "Fire safety",
                     *       "Rules": [
                     *         {
                     *           "Rule": "opensAfter",
                     *           "Match": "all",
                     *           "Conditions": [
                     *             {
                     *               "Condition": "passed",
                     *               "Not": false,
                     *               "Units": [
                     *                 "How fires start"
                     *               ],
                     *               "Objective": null,
                     *               "Value": null
                     *             }
                     *           ],
                     *           "Value": null,
                     *           "Text": "Getting out opens after How fires start is passed."
                     *         }
                     *       ],
                     *       "Units": [
                     *         {
                     *           "UnitID": "lesson-1",
                     *           "Title": "Fire safety",
                     *           "Rules": [
                     *             {
                     *               "Rule": "opensAfter",
                     *               "Match": "all",
                     *               "Conditions": [
                     *                 {
                     *                   "Condition": "passed",
                     *                   "Not": false,
                     *                   "Units": [
                     *                     "How fires start"
                     *                   ],
                     *                   "Objective": null,
                     *                   "Value": null
                     *                 }
                     *               ],
                     *               "Value": null,
                     *               "Text": "Getting out opens after How fires start is passed."
                     *             }
                     *           ],
                     *           "Href": "lesson-1/index.html",
                     *           "Depth": 0
                     *         }
                     *       ],
                     *       "Warnings": [
                     *         {
                     *           "Severity": "error",
                     *           "Message": "The manifest lists a file that is not in the package.",
                     *           "File": "imsmanifest.xml",
                     *           "Line": 12
                     *         }
                     *       ],
                     *       "Files": 42,
                     *       "Bytes": 1048576,
                     *       "SHA256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "CreatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Release"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            409: components["responses"]["course_not_playable"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    importPackage: {
        parameters: {
            query?: {
                /**
                 * @description If false, the release does not become current yet, and tenants are not notified of it. Preview it with `POST /course/{CourseID}/preview`, then set it as current with `PUT /course/{CourseID}/release/{Release}`. The default is true.
                 * @example true
                 */
                Current?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/zip": unknown;
                "application/x-zip-compressed": unknown;
                "application/octet-stream": unknown;
                "application/xml": unknown;
                "text/xml": unknown;
            };
        };
        responses: {
            /** @description A further release. Learners who have already started stay on theirs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "CourseID": "fire-safety",
                     *       "Release": 1,
                     *       "Current": true,
                     *       "Standard": "scorm12",
                     *       "AuthoringTool": "Lectora",
                     *       "Title": "Fire safety",
                     *       "Rules": [
                     *         {
                     *           "Rule": "opensAfter",
                     *           "Match": "all",
                     *           "Conditions": [
                     *             {
                     *               "Condition": "passed",
                     *               "Not": false,
                     *               "Units": [
                     *                 "How fires start"
                     *               ],
                     *               "Objective": null,
                     *               "Value": null
                     *             }
                     *           ],
                     *           "Value": null,
                     *           "Text": "Getting out opens after How fires start is passed."
                     *         }
                     *       ],
                     *       "Units": [
                     *         {
                     *           "UnitID": "lesson-1",
                     *           "Title": "Fire safety",
                     *           "Rules": [
                     *             {
                     *               "Rule": "opensAfter",
                     *               "Match": "all",
                     *               "Conditions": [
                     *                 {
                     *                   "Condition": "passed",
                     *                   "Not": false,
                     *                   "Units": [
                     *                     "How fires start"
                     *                   ],
                     *                   "Objective": null,
                     *                   "Value": null
                     *                 }
                     *               ],
                     *               "Value": null,
                     *               "Text": "Getting out opens after How fires start is passed."
                     *             }
                     *           ],
                     *           "Href": "lesson-1/index.html",
                     *           "Depth": 0
                     *         }
                     *       ],
                     *       "Warnings": [
                     *         {
                     *           "Severity": "error",
                     *           "Message": "The manifest lists a file that is not in the package.",
                     *           "File": "imsmanifest.xml",
                     *           "Line": 12
                     *         }
                     *       ],
                     *       "Files": 42,
                     *       "Bytes": 1048576,
                     *       "SHA256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "CreatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Release"];
                };
            };
            /** @description The first release. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "CourseID": "fire-safety",
                     *       "Release": 1,
                     *       "Current": true,
                     *       "Standard": "scorm12",
                     *       "AuthoringTool": "Lectora",
                     *       "Title": "Fire safety",
                     *       "Rules": [
                     *         {
                     *           "Rule": "opensAfter",
                     *           "Match": "all",
                     *           "Conditions": [
                     *             {
                     *               "Condition": "passed",
                     *               "Not": false,
                     *               "Units": [
                     *                 "How fires start"
                     *               ],
                     *               "Objective": null,
                     *               "Value": null
                     *             }
                     *           ],
                     *           "Value": null,
                     *           "Text": "Getting out opens after How fires start is passed."
                     *         }
                     *       ],
                     *       "Units": [
                     *         {
                     *           "UnitID": "lesson-1",
                     *           "Title": "Fire safety",
                     *           "Rules": [
                     *             {
                     *               "Rule": "opensAfter",
                     *               "Match": "all",
                     *               "Conditions": [
                     *                 {
                     *                   "Condition": "passed",
                     *                   "Not": false,
                     *                   "Units": [
                     *                     "How fires start"
                     *                   ],
                     *                   "Objective": null,
                     *                   "Value": null
                     *                 }
                     *               ],
                     *               "Value": null,
                     *               "Text": "Getting out opens after How fires start is passed."
                     *             }
                     *           ],
                     *           "Href": "lesson-1/index.html",
                     *           "Depth": 0
                     *         }
                     *       ],
                     *       "Warnings": [
                     *         {
                     *           "Severity": "error",
                     *           "Message": "The manifest lists a file that is not in the package.",
                     *           "File": "imsmanifest.xml",
                     *           "Line": 12
                     *         }
                     *       ],
                     *       "Files": 42,
                     *       "Bytes": 1048576,
                     *       "SHA256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "CreatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Release"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["course_not_found"];
            413: components["responses"]["payload_too_large.package_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.package_not_zip.package_unsafe.package_unreadable.package_invalid.package_unsupported"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listReleases: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of releases, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "CourseID": "fire-safety",
                     *           "Release": 1,
                     *           "Current": true,
                     *           "Standard": "scorm12",
                     *           "AuthoringTool": "Lectora",
                     *           "Title": "Fire safety",
                     *           "Rules": [
                     *             {
                     *               "Rule": "opensAfter",
                     *               "Match": "all",
                     *               "Conditions": [
                     *                 {
                     *                   "Condition": "passed",
                     *                   "Not": false,
                     *                   "Units": [
                     *                     "How fires start"
                     *                   ],
                     *                   "Objective": null,
                     *                   "Value": null
                     *                 }
                     *               ],
                     *               "Value": null,
                     *               "Text": "Getting out opens after How fires start is passed."
                     *             }
                     *           ],
                     *           "Units": [
                     *             {
                     *               "UnitID": "lesson-1",
                     *               "Title": "Fire safety",
                     *               "Rules": [
                     *                 {
                     *                   "Rule": "opensAfter",
                     *                   "Match": "all",
                     *                   "Conditions": [
                     *                     {
                     *                       "Condition": "passed",
                     *                       "Not": false,
                     *                       "Units": [
                     *                         "How fires start"
                     *                       ],
                     *                       "Objective": null,
                     *                       "Value": null
                     *                     }
                     *                   ],
                     *                   "Value": null,
                     *                   "Text": "Getting out opens after How fires start is passed."
                     *                 }
                     *               ],
                     *               "Href": "lesson-1/index.html",
                     *               "Depth": 0
                     *             }
                     *           ],
                     *           "Warnings": [
                     *             {
                     *               "Severity": "error",
                     *               "Message": "The manifest lists a file that is not in the package.",
                     *               "File": "imsmanifest.xml",
                     *               "Line": 12
                     *             }
                     *           ],
                     *           "Files": 42,
                     *           "Bytes": 1048576,
                     *           "SHA256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "CreatedAt": "2026-01-31T09:00:00Z"
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Release"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["course_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
                /**
                 * @description Number of a release of the course.
                 * @example 1
                 */
                Release: components["parameters"]["Release"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The release. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "CourseID": "fire-safety",
                     *       "Release": 1,
                     *       "Current": true,
                     *       "Standard": "scorm12",
                     *       "AuthoringTool": "Lectora",
                     *       "Title": "Fire safety",
                     *       "Rules": [
                     *         {
                     *           "Rule": "opensAfter",
                     *           "Match": "all",
                     *           "Conditions": [
                     *             {
                     *               "Condition": "passed",
                     *               "Not": false,
                     *               "Units": [
                     *                 "How fires start"
                     *               ],
                     *               "Objective": null,
                     *               "Value": null
                     *             }
                     *           ],
                     *           "Value": null,
                     *           "Text": "Getting out opens after How fires start is passed."
                     *         }
                     *       ],
                     *       "Units": [
                     *         {
                     *           "UnitID": "lesson-1",
                     *           "Title": "Fire safety",
                     *           "Rules": [
                     *             {
                     *               "Rule": "opensAfter",
                     *               "Match": "all",
                     *               "Conditions": [
                     *                 {
                     *                   "Condition": "passed",
                     *                   "Not": false,
                     *                   "Units": [
                     *                     "How fires start"
                     *                   ],
                     *                   "Objective": null,
                     *                   "Value": null
                     *                 }
                     *               ],
                     *               "Value": null,
                     *               "Text": "Getting out opens after How fires start is passed."
                     *             }
                     *           ],
                     *           "Href": "lesson-1/index.html",
                     *           "Depth": 0
                     *         }
                     *       ],
                     *       "Warnings": [
                     *         {
                     *           "Severity": "error",
                     *           "Message": "The manifest lists a file that is not in the package.",
                     *           "File": "imsmanifest.xml",
                     *           "Line": 12
                     *         }
                     *       ],
                     *       "Files": 42,
                     *       "Bytes": 1048576,
                     *       "SHA256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "CreatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Release"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["course_not_found.release_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    putRelease: {
        parameters: {
            query?: {
                /**
                 * @description If true, returns the release as it would be, with the number of learners affected, and changes nothing.
                 * @example true
                 */
                Plan?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
                /**
                 * @description Number of a release of the course.
                 * @example 1
                 */
                Release: components["parameters"]["Release"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Current": true
                 *     }
                 */
                "application/json": components["schemas"]["ReleaseChange"];
            };
        };
        responses: {
            /** @description The release, which is now current. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "CourseID": "fire-safety",
                     *       "Release": 1,
                     *       "Current": true,
                     *       "Standard": "scorm12",
                     *       "AuthoringTool": "Lectora",
                     *       "Title": "Fire safety",
                     *       "Rules": [
                     *         {
                     *           "Rule": "opensAfter",
                     *           "Match": "all",
                     *           "Conditions": [
                     *             {
                     *               "Condition": "passed",
                     *               "Not": false,
                     *               "Units": [
                     *                 "How fires start"
                     *               ],
                     *               "Objective": null,
                     *               "Value": null
                     *             }
                     *           ],
                     *           "Value": null,
                     *           "Text": "Getting out opens after How fires start is passed."
                     *         }
                     *       ],
                     *       "Units": [
                     *         {
                     *           "UnitID": "lesson-1",
                     *           "Title": "Fire safety",
                     *           "Rules": [
                     *             {
                     *               "Rule": "opensAfter",
                     *               "Match": "all",
                     *               "Conditions": [
                     *                 {
                     *                   "Condition": "passed",
                     *                   "Not": false,
                     *                   "Units": [
                     *                     "How fires start"
                     *                   ],
                     *                   "Objective": null,
                     *                   "Value": null
                     *                 }
                     *               ],
                     *               "Value": null,
                     *               "Text": "Getting out opens after How fires start is passed."
                     *             }
                     *           ],
                     *           "Href": "lesson-1/index.html",
                     *           "Depth": 0
                     *         }
                     *       ],
                     *       "Warnings": [
                     *         {
                     *           "Severity": "error",
                     *           "Message": "The manifest lists a file that is not in the package.",
                     *           "File": "imsmanifest.xml",
                     *           "Line": 12
                     *         }
                     *       ],
                     *       "Files": 42,
                     *       "Bytes": 1048576,
                     *       "SHA256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "Affected": {
                     *         "NotStarted": 1,
                     *         "InProgress": 1,
                     *         "Completed": 1,
                     *         "More": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReleaseEffect"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["course_not_found.release_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listTenants: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @description If true, the first page has a `Count` of the records that match the filters.
                 * @example true
                 */
                Count?: components["parameters"]["Count"];
                /**
                 * @description Text to find in TenantID or Name.
                 * @example ada
                 */
                Search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tenants. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "TenantID": "acme",
                     *           "Name": "Acme Ltd",
                     *           "PasswordHash": "opaque",
                     *           "SecondFactor": "optional",
                     *           "Language": "en",
                     *           "ReminderDays": [
                     *             1
                     *           ],
                     *           "ReturnOrigins": [
                     *             "https://lms.example.com"
                     *           ],
                     *           "FrameOrigins": [
                     *             "https://lms.example.com"
                     *           ],
                     *           "Status": "active",
                     *           "CreatedAt": "2026-01-31T09:00:00Z",
                     *           "UpdatedAt": "2026-01-31T09:00:00Z"
                     *         }
                     *       ],
                     *       "NextCursor": null,
                     *       "Count": {
                     *         "Records": 1,
                     *         "More": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Tenant"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                        Count?: {
                            Records: number;
                            /** @description If true, there are at least this many records. */
                            More: boolean;
                        };
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createTenant: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "TenantID": "acme",
                 *       "Name": "Acme Ltd"
                 *     }
                 */
                "application/json": components["schemas"]["NewTenant"];
            };
        };
        responses: {
            /** @description The tenant already exists with the same fields. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "TenantID": "acme",
                     *       "Name": "Acme Ltd",
                     *       "PasswordHash": "opaque",
                     *       "SecondFactor": "optional",
                     *       "Language": "en",
                     *       "ReminderDays": [
                     *         1
                     *       ],
                     *       "ReturnOrigins": [
                     *         "https://lms.example.com"
                     *       ],
                     *       "FrameOrigins": [
                     *         "https://lms.example.com"
                     *       ],
                     *       "Status": "active",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "TenantID": "acme",
                     *       "Name": "Acme Ltd",
                     *       "PasswordHash": "opaque",
                     *       "SecondFactor": "optional",
                     *       "Language": "en",
                     *       "ReminderDays": [
                     *         1
                     *       ],
                     *       "ReturnOrigins": [
                     *         "https://lms.example.com"
                     *       ],
                     *       "FrameOrigins": [
                     *         "https://lms.example.com"
                     *       ],
                     *       "Status": "active",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            409: components["responses"]["tenant_exists.tenant_being_deleted.in_progress.passkeys_unavailable"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The tenant.
                 * @example acme
                 */
                TenantID: components["parameters"]["TenantID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "TenantID": "acme",
                     *       "Name": "Acme Ltd",
                     *       "PasswordHash": "opaque",
                     *       "SecondFactor": "optional",
                     *       "Language": "en",
                     *       "ReminderDays": [
                     *         1
                     *       ],
                     *       "ReturnOrigins": [
                     *         "https://lms.example.com"
                     *       ],
                     *       "FrameOrigins": [
                     *         "https://lms.example.com"
                     *       ],
                     *       "Status": "active",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    updateTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The tenant.
                 * @example acme
                 */
                TenantID: components["parameters"]["TenantID"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "Name": "Acme Ltd"
                 *     }
                 */
                "application/json": components["schemas"]["TenantChange"];
            };
        };
        responses: {
            /** @description The changed tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "TenantID": "acme",
                     *       "Name": "Acme Ltd",
                     *       "PasswordHash": "opaque",
                     *       "SecondFactor": "optional",
                     *       "Language": "en",
                     *       "ReminderDays": [
                     *         1
                     *       ],
                     *       "ReturnOrigins": [
                     *         "https://lms.example.com"
                     *       ],
                     *       "FrameOrigins": [
                     *         "https://lms.example.com"
                     *       ],
                     *       "Status": "active",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            409: components["responses"]["not_a_test_tenant.passkeys_unavailable"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    deleteTenant: {
        parameters: {
            query?: {
                /**
                 * @description If true, the response says what would be deleted, and nothing is changed.
                 * @example true
                 */
                Plan?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Chosen by the operator. Cannot be changed.
                 * @example acme
                 */
                TenantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The receipt. Repeating the call during the deletion returns the same receipt; afterwards the response is 404. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ReceiptID": "01994a5e-7c00-7000-8000-000000000007",
                     *       "TenantID": "acme",
                     *       "Plan": true,
                     *       "StartedAt": "2026-01-31T09:00:00Z",
                     *       "Deleted": [
                     *         {
                     *           "Data": "enrolments",
                     *           "Records": 1,
                     *           "More": true,
                     *           "What": "Enrolments and their results."
                     *         }
                     *       ],
                     *       "Kept": [
                     *         {
                     *           "Data": "enrolments",
                     *           "What": "Enrolments and their results.",
                     *           "Why": "Anonymous results are kept for reports."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TenantDeletion"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            409: components["responses"]["tenant_not_suspended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description The tenant.
                 * @example acme
                 */
                TenantID: components["parameters"]["TenantID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys, without their secrets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "KeyID": "01994a5e-7c00-7000-8000-000000000003",
                     *           "TenantID": "acme",
                     *           "Name": "HR system",
                     *           "Scopes": [
                     *             "users:read",
                     *             "users:write"
                     *           ],
                     *           "CreatedAt": "2026-01-31T09:00:00Z",
                     *           "CreatedBy": "administrator",
                     *           "CreatorLoginID": null,
                     *           "ExpiresAt": "2026-01-31T09:00:00Z",
                     *           "LastUsedAt": null,
                     *           "RevokedAt": null
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Key"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The tenant.
                 * @example acme
                 */
                TenantID: components["parameters"]["TenantID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "HR system",
                 *       "Scopes": [
                 *         "users:read",
                 *         "users:write"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description The key, with its secret shown only once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "KeyID": "01994a5e-7c00-7000-8000-000000000003",
                     *       "TenantID": "acme",
                     *       "Name": "HR system",
                     *       "Scopes": [
                     *         "users:read",
                     *         "users:write"
                     *       ],
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "CreatedBy": "administrator",
                     *       "CreatorLoginID": null,
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "LastUsedAt": null,
                     *       "RevokedAt": null,
                     *       "Secret": "lectern_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                     *     }
                     */
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            409: components["responses"]["in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The tenant.
                 * @example acme
                 */
                TenantID: components["parameters"]["TenantID"];
                /** @example 01994a5e-7c00-7000-8000-000000000003 */
                KeyID: components["parameters"]["KeyID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revoked key, which is rejected on every node within 5 s. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "KeyID": "01994a5e-7c00-7000-8000-000000000003",
                     *       "TenantID": "acme",
                     *       "Name": "HR system",
                     *       "Scopes": [
                     *         "users:read",
                     *         "users:write"
                     *       ],
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "CreatedBy": "administrator",
                     *       "CreatorLoginID": null,
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "LastUsedAt": null,
                     *       "RevokedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Key"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["key_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readBranding: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The branding. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Colour": "#0057b8",
                     *       "Logo": {
                     *         "URL": "https://lectern.example.com/branding/acme/logo/JeEl-t9mZ4GQvG-8oxI7d3",
                     *         "Type": "image/png",
                     *         "Width": 480,
                     *         "Height": 120,
                     *         "Bytes": 9214
                     *       },
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Branding"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    changeBranding: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "Colour": "#0057b8",
                 *       "Logo": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgCN8BAAFqARBhJv9LAAAAAElFTkSuQmCC"
                 *     }
                 */
                "application/json": components["schemas"]["BrandingChange"];
            };
        };
        responses: {
            /** @description The changed branding. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Colour": "#0057b8",
                     *       "Logo": {
                     *         "URL": "https://lectern.example.com/branding/acme/logo/JeEl-t9mZ4GQvG-8oxI7d3",
                     *         "Type": "image/png",
                     *         "Width": 480,
                     *         "Height": 120,
                     *         "Bytes": 9214
                     *       },
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Branding"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readPageBranding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The tenant.
                 * @example acme
                 */
                TenantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The branding; all members are null if there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Name": "30 days",
                     *       "Language": "en",
                     *       "LogoURL": "https://lectern.example.com/branding/acme/logo/JeEl-t9mZ4GQvG-8oxI7d3",
                     *       "Colour": "#0057b8",
                     *       "Light": {
                     *         "Fill": "#0057b8",
                     *         "OnFill": "#ffffff",
                     *         "Soft": "#e0ebf6",
                     *         "Text": "#0057b8"
                     *       },
                     *       "Dark": {
                     *         "Fill": "#0057b8",
                     *         "OnFill": "#ffffff",
                     *         "Soft": "#e0ebf6",
                     *         "Text": "#0057b8"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PageBranding"];
                };
            };
            /** @description The client already has the current branding. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readLogo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The tenant.
                 * @example acme
                 */
                TenantID: string;
                /**
                 * @description Part of the LogoURL. It changes with the image.
                 * @example JeEl-t9mZ4GQvG-8oxI7d3
                 */
                LogoName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The image. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "image/jpeg": string;
                    "image/webp": string;
                };
            };
            /** @description The client already has the image. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readSettings: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Language": "en",
                     *       "ReminderDays": [
                     *         1
                     *       ],
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Settings"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    changeSettings: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "ReminderDays": [
                 *         1
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SettingsChange"];
            };
        };
        responses: {
            /** @description The changed settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Language": "en",
                     *       "ReminderDays": [
                     *         1
                     *       ],
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Settings"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    exportTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Chosen by the operator. Cannot be changed.
                 * @example acme
                 */
                TenantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One line `{ Type, Record }` for each record: users, enrolments, results, run-time data, events, keys and webhooks without secrets, and the audit trail. The first line is the tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @deprecated
                 * @description Former name of Cursor.
                 */
                after?: string;
                /** @description Comma-separated types. Default: all. */
                Types?: string;
                /** @example 01994a5e-7c00-7000-8000-000000000001 */
                EnrollID?: string;
                /**
                 * @description The user to whom the event or its enrolment relates.
                 * @example ada
                 */
                LoginID?: string;
                /**
                 * @description Sort order. oldest (default) is for programs and leaves no gaps. newest sorts by EventID and is for people; it can miss events that are written while a page is read. Each order has its own cursors.
                 * @example oldest
                 */
                Order?: "oldest" | "newest";
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events after Cursor or, with Order=newest, before it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "EventID": "01994a5e-7c00-7000-8000-000000000004",
                     *           "OccurredAt": "2026-01-31T09:00:00Z",
                     *           "LoginID": "ada",
                     *           "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *           "CourseID": "fire-safety",
                     *           "Type": "enrolment.completed",
                     *           "Data": {}
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Event"][];
                        /** @description With Order=oldest, it is never null: send it, now or later, to get the events since then. With Order=newest, null means that there are no older events. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listCompletion: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @description What each line covers. Default: course.
                 * @example course
                 */
                By?: components["parameters"]["By"];
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID?: string;
                /**
                 * @description A group of users.
                 * @example Engineering
                 */
                GroupName?: components["parameters"]["GroupName"];
                /**
                 * @description The figures at the end of this day in UTC, such as 2026-01-31. Default: the latest figures.
                 * @example 2026-01-31
                 */
                AsOf?: components["parameters"]["AsOf"];
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of lines, ordered by CourseID and GroupName. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "CourseID": "fire-safety",
                     *           "CourseTitle": "Fire safety",
                     *           "GroupName": "Engineering",
                     *           "Enrolments": 3,
                     *           "NotStarted": 1,
                     *           "InProgress": 1,
                     *           "Completed": 1,
                     *           "Expired": 1,
                     *           "Withdrawn": 1,
                     *           "Passed": 1,
                     *           "Failed": 1,
                     *           "CompletionRate": 1,
                     *           "AsOf": "2026-01-31"
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Completion"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listAccess: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @description What each line covers. Default: course.
                 * @example course
                 */
                By?: components["parameters"]["By"];
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID?: string;
                /**
                 * @description A group of users.
                 * @example Engineering
                 */
                GroupName?: components["parameters"]["GroupName"];
                /**
                 * @description The figures at the end of this day in UTC, such as 2026-01-31. Default: the latest figures.
                 * @example 2026-01-31
                 */
                AsOf?: components["parameters"]["AsOf"];
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of lines, ordered by CourseID and GroupName. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "CourseID": "fire-safety",
                     *           "CourseTitle": "Fire safety",
                     *           "GroupName": "Engineering",
                     *           "Open": 1,
                     *           "EndsWithin7Days": 1,
                     *           "EndsWithin30Days": 1,
                     *           "Overdue": 1,
                     *           "AsOf": "2026-01-31"
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Access"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listActivity: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Length of the periods: days (default), weeks from Monday, or calendar months, in UTC.
                 * @example day
                 */
                Unit?: "day" | "week" | "month";
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID?: string;
                /**
                 * @description A group of users.
                 * @example Engineering
                 */
                GroupName?: components["parameters"]["GroupName"];
                /**
                 * @description First day of the report. Default: 29 days before To.
                 * @example 2026-01-31
                 */
                From?: string;
                /**
                 * @description Last day of the report, at most 1826 days after From. Default: today.
                 * @example 2026-01-31
                 */
                To?: string;
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of periods, oldest first. The counts are exact at the time of the request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "From": "2026-01-31",
                     *           "To": "2026-01-31",
                     *           "Enrolments": 3,
                     *           "Starts": 2,
                     *           "Launches": 1,
                     *           "Completions": 1,
                     *           "Passed": 1,
                     *           "Failed": 1,
                     *           "Expired": 1,
                     *           "Withdrawn": 1
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["ActivityPeriod"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readOverview: {
        parameters: {
            query?: {
                /**
                 * @description Number of days, including today.
                 * @example 30
                 */
                Days?: number;
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts are exact at the time of the request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Days": [
                     *         {
                     *           "Day": "2026-01-31",
                     *           "Enrolments": 3,
                     *           "Starts": 2,
                     *           "Completions": 1
                     *         }
                     *       ],
                     *       "Attention": {
                     *         "Webhooks": [
                     *           {
                     *             "WebhookID": "01994a5e-7c00-7000-8000-000000000005",
                     *             "URL": "https://courses.example.com/fire-safety",
                     *             "Status": "enabled",
                     *             "FailingSince": null
                     *           }
                     *         ],
                     *         "Seats": [
                     *           {
                     *             "CourseID": "fire-safety",
                     *             "Title": "Fire safety",
                     *             "DurationID": "30-days",
                     *             "Name": "30 days",
                     *             "Seats": 100,
                     *             "SeatsLeft": 99
                     *           }
                     *         ],
                     *         "Expiring": {
                     *           "Enrolments": 3,
                     *           "More": true,
                     *           "Until": "2026-01-31T09:00:00Z"
                     *         },
                     *         "FailedDeliveries": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Overview"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listReportSchedules: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of scheduled reports. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "ScheduleID": "01994a5e-7c00-7000-8000-000000000011",
                     *           "Name": "30 days",
                     *           "Report": "completion",
                     *           "By": "course",
                     *           "Unit": "day",
                     *           "Days": 30,
                     *           "CourseID": "fire-safety",
                     *           "GroupName": "Engineering",
                     *           "Every": "week",
                     *           "Weekday": "monday",
                     *           "MonthDay": 1,
                     *           "Time": "07:00",
                     *           "TimeZone": "Europe/Berlin",
                     *           "Delivery": "email",
                     *           "Recipients": [
                     *             "ada"
                     *           ],
                     *           "Status": "active",
                     *           "NextRunAt": "2026-01-31T09:00:00Z",
                     *           "LastRunAt": "2026-01-31T09:00:00Z",
                     *           "LastProblem": "no_recipients",
                     *           "CreatedAt": "2026-01-31T09:00:00Z",
                     *           "UpdatedAt": "2026-01-31T09:00:00Z"
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["ReportSchedule"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createReportSchedule: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "30 days",
                 *       "Report": "completion",
                 *       "Every": "week",
                 *       "Time": "07:00",
                 *       "TimeZone": "Europe/Berlin",
                 *       "Delivery": "email",
                 *       "By": "course",
                 *       "Weekday": "monday",
                 *       "Recipients": [
                 *         "ada"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewReportSchedule"];
            };
        };
        responses: {
            /** @description The scheduled report. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ScheduleID": "01994a5e-7c00-7000-8000-000000000011",
                     *       "Name": "30 days",
                     *       "Report": "completion",
                     *       "By": "course",
                     *       "Unit": "day",
                     *       "Days": 30,
                     *       "CourseID": "fire-safety",
                     *       "GroupName": "Engineering",
                     *       "Every": "week",
                     *       "Weekday": "monday",
                     *       "MonthDay": 1,
                     *       "Time": "07:00",
                     *       "TimeZone": "Europe/Berlin",
                     *       "Delivery": "email",
                     *       "Recipients": [
                     *         "ada"
                     *       ],
                     *       "Status": "active",
                     *       "NextRunAt": "2026-01-31T09:00:00Z",
                     *       "LastRunAt": "2026-01-31T09:00:00Z",
                     *       "LastProblem": "no_recipients",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ReportSchedule"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            409: components["responses"]["mail_not_configured.in_progress.schedule_limit"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readReportSchedule: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /** @example 01994a5e-7c00-7000-8000-000000000011 */
                ScheduleID: components["parameters"]["ScheduleID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scheduled report. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ScheduleID": "01994a5e-7c00-7000-8000-000000000011",
                     *       "Name": "30 days",
                     *       "Report": "completion",
                     *       "By": "course",
                     *       "Unit": "day",
                     *       "Days": 30,
                     *       "CourseID": "fire-safety",
                     *       "GroupName": "Engineering",
                     *       "Every": "week",
                     *       "Weekday": "monday",
                     *       "MonthDay": 1,
                     *       "Time": "07:00",
                     *       "TimeZone": "Europe/Berlin",
                     *       "Delivery": "email",
                     *       "Recipients": [
                     *         "ada"
                     *       ],
                     *       "Status": "active",
                     *       "NextRunAt": "2026-01-31T09:00:00Z",
                     *       "LastRunAt": "2026-01-31T09:00:00Z",
                     *       "LastProblem": "no_recipients",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ReportSchedule"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found.schedule_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    updateReportSchedule: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /** @example 01994a5e-7c00-7000-8000-000000000011 */
                ScheduleID: components["parameters"]["ScheduleID"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "Status": "active"
                 *     }
                 */
                "application/json": components["schemas"]["ReportScheduleChange"];
            };
        };
        responses: {
            /** @description The changed report. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ScheduleID": "01994a5e-7c00-7000-8000-000000000011",
                     *       "Name": "30 days",
                     *       "Report": "completion",
                     *       "By": "course",
                     *       "Unit": "day",
                     *       "Days": 30,
                     *       "CourseID": "fire-safety",
                     *       "GroupName": "Engineering",
                     *       "Every": "week",
                     *       "Weekday": "monday",
                     *       "MonthDay": 1,
                     *       "Time": "07:00",
                     *       "TimeZone": "Europe/Berlin",
                     *       "Delivery": "email",
                     *       "Recipients": [
                     *         "ada"
                     *       ],
                     *       "Status": "active",
                     *       "NextRunAt": "2026-01-31T09:00:00Z",
                     *       "LastRunAt": "2026-01-31T09:00:00Z",
                     *       "LastProblem": "no_recipients",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ReportSchedule"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found.schedule_not_found"];
            409: components["responses"]["mail_not_configured"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    deleteReportSchedule: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /** @example 01994a5e-7c00-7000-8000-000000000011 */
                ScheduleID: components["parameters"]["ScheduleID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted report. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ScheduleID": "01994a5e-7c00-7000-8000-000000000011",
                     *       "Name": "30 days",
                     *       "Report": "completion",
                     *       "By": "course",
                     *       "Unit": "day",
                     *       "Days": 30,
                     *       "CourseID": "fire-safety",
                     *       "GroupName": "Engineering",
                     *       "Every": "week",
                     *       "Weekday": "monday",
                     *       "MonthDay": 1,
                     *       "Time": "07:00",
                     *       "TimeZone": "Europe/Berlin",
                     *       "Delivery": "email",
                     *       "Recipients": [
                     *         "ada"
                     *       ],
                     *       "Status": "active",
                     *       "NextRunAt": "2026-01-31T09:00:00Z",
                     *       "LastRunAt": "2026-01-31T09:00:00Z",
                     *       "LastProblem": "no_recipients",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ReportSchedule"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found.schedule_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    runReportSchedule: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @example 01994a5e-7c00-7000-8000-000000000011 */
                ScheduleID: components["parameters"]["ScheduleID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report, with NextRunAt set to now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ScheduleID": "01994a5e-7c00-7000-8000-000000000011",
                     *       "Name": "30 days",
                     *       "Report": "completion",
                     *       "By": "course",
                     *       "Unit": "day",
                     *       "Days": 30,
                     *       "CourseID": "fire-safety",
                     *       "GroupName": "Engineering",
                     *       "Every": "week",
                     *       "Weekday": "monday",
                     *       "MonthDay": 1,
                     *       "Time": "07:00",
                     *       "TimeZone": "Europe/Berlin",
                     *       "Delivery": "email",
                     *       "Recipients": [
                     *         "ada"
                     *       ],
                     *       "Status": "active",
                     *       "NextRunAt": "2026-01-31T09:00:00Z",
                     *       "LastRunAt": "2026-01-31T09:00:00Z",
                     *       "LastProblem": "no_recipients",
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ReportSchedule"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found.schedule_not_found"];
            409: components["responses"]["in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of endpoints, without their secrets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "WebhookID": "01994a5e-7c00-7000-8000-000000000005",
                     *           "Kind": "events",
                     *           "Username": null,
                     *           "URL": "https://hr.example.com/lectern",
                     *           "Types": [
                     *             "enrolment.completed"
                     *           ],
                     *           "Description": "Results for the HR system.",
                     *           "Status": "enabled",
                     *           "DisabledReason": null,
                     *           "FailingSince": null,
                     *           "CreatedAt": "2026-01-31T09:00:00Z",
                     *           "UpdatedAt": "2026-01-31T09:00:00Z"
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Webhook"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "URL": "https://hr.example.com/lectern",
                 *       "Types": [
                 *         "enrolment.completed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            /** @description The endpoint, with its secret shown only once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "WebhookID": "01994a5e-7c00-7000-8000-000000000005",
                     *       "Kind": "events",
                     *       "Username": null,
                     *       "URL": "https://hr.example.com/lectern",
                     *       "Types": [
                     *         "enrolment.completed"
                     *       ],
                     *       "Description": "Results for the HR system.",
                     *       "Status": "enabled",
                     *       "DisabledReason": null,
                     *       "FailingSince": null,
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z",
                     *       "Secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                     *       "PreviousSecretUntil": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            409: components["responses"]["in_progress.webhook_limit"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused.webhook_address_refused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /** @example 01994a5e-7c00-7000-8000-000000000005 */
                WebhookID: components["parameters"]["WebhookID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "WebhookID": "01994a5e-7c00-7000-8000-000000000005",
                     *       "Kind": "events",
                     *       "Username": null,
                     *       "URL": "https://hr.example.com/lectern",
                     *       "Types": [
                     *         "enrolment.completed"
                     *       ],
                     *       "Description": "Results for the HR system.",
                     *       "Status": "enabled",
                     *       "DisabledReason": null,
                     *       "FailingSince": null,
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found.webhook_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /** @example 01994a5e-7c00-7000-8000-000000000005 */
                WebhookID: components["parameters"]["WebhookID"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "Types": [
                 *         "enrolment.completed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["WebhookChange"];
            };
        };
        responses: {
            /** @description The changed endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "WebhookID": "01994a5e-7c00-7000-8000-000000000005",
                     *       "Kind": "events",
                     *       "Username": null,
                     *       "URL": "https://hr.example.com/lectern",
                     *       "Types": [
                     *         "enrolment.completed"
                     *       ],
                     *       "Description": "Results for the HR system.",
                     *       "Status": "enabled",
                     *       "DisabledReason": null,
                     *       "FailingSince": null,
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found.webhook_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.webhook_address_refused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /** @example 01994a5e-7c00-7000-8000-000000000005 */
                WebhookID: components["parameters"]["WebhookID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "WebhookID": "01994a5e-7c00-7000-8000-000000000005",
                     *       "Kind": "events",
                     *       "Username": null,
                     *       "URL": "https://hr.example.com/lectern",
                     *       "Types": [
                     *         "enrolment.completed"
                     *       ],
                     *       "Description": "Results for the HR system.",
                     *       "Status": "enabled",
                     *       "DisabledReason": null,
                     *       "FailingSince": null,
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found.webhook_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @example 01994a5e-7c00-7000-8000-000000000005 */
                WebhookID: components["parameters"]["WebhookID"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "OverlapSeconds": 86400
                 *     }
                 */
                "application/json": components["schemas"]["Rotation"];
            };
        };
        responses: {
            /** @description The endpoint, with its new secret shown only once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "WebhookID": "01994a5e-7c00-7000-8000-000000000005",
                     *       "Kind": "events",
                     *       "Username": null,
                     *       "URL": "https://hr.example.com/lectern",
                     *       "Types": [
                     *         "enrolment.completed"
                     *       ],
                     *       "Description": "Results for the HR system.",
                     *       "Status": "enabled",
                     *       "DisabledReason": null,
                     *       "FailingSince": null,
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "UpdatedAt": "2026-01-31T09:00:00Z",
                     *       "Secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                     *       "PreviousSecretUntil": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found.webhook_not_found"];
            409: components["responses"]["in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    pingWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @example 01994a5e-7c00-7000-8000-000000000005 */
                WebhookID: components["parameters"]["WebhookID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, even if it failed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "DeliveryID": "01994a5e-7c00-7000-8000-000000000006",
                     *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                     *       "Type": "enrolment.completed",
                     *       "StatementIDs": [
                     *         "01994a5e-7c00-7000-8000-000000000000"
                     *       ],
                     *       "Reason": "event",
                     *       "Status": "pending",
                     *       "Attempts": 1,
                     *       "CreatedAt": "2026-01-31T09:00:00Z",
                     *       "AttemptedAt": "2026-01-31T09:00:00Z",
                     *       "NextAttemptAt": null,
                     *       "Request": {
                     *         "URL": "https://courses.example.com/fire-safety",
                     *         "Body": {}
                     *       },
                     *       "Answer": {
                     *         "Status": 1,
                     *         "Body": "ok"
                     *       },
                     *       "Error": null,
                     *       "Milliseconds": 120
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found.webhook_not_found"];
            409: components["responses"]["in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /** @example pending */
                Status?: "pending" | "delivered" | "failed";
                /**
                 * @description Only deliveries of events about this enrolment.
                 * @example 01994a5e-7c00-7000-8000-000000000001
                 */
                EnrollID?: string;
                /** @example 01994a5e-7c00-7000-8000-000000000004 */
                EventID?: string;
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path: {
                /** @example 01994a5e-7c00-7000-8000-000000000005 */
                WebhookID: components["parameters"]["WebhookID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "DeliveryID": "01994a5e-7c00-7000-8000-000000000006",
                     *           "EventID": "01994a5e-7c00-7000-8000-000000000004",
                     *           "Type": "enrolment.completed",
                     *           "StatementIDs": [
                     *             "01994a5e-7c00-7000-8000-000000000000"
                     *           ],
                     *           "Reason": "event",
                     *           "Status": "pending",
                     *           "Attempts": 1,
                     *           "CreatedAt": "2026-01-31T09:00:00Z",
                     *           "AttemptedAt": "2026-01-31T09:00:00Z",
                     *           "NextAttemptAt": null,
                     *           "Request": {
                     *             "URL": "https://courses.example.com/fire-safety",
                     *             "Body": {}
                     *           },
                     *           "Answer": {
                     *             "Status": 1,
                     *             "Body": "ok"
                     *           },
                     *           "Error": null,
                     *           "Milliseconds": 120
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["Delivery"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found.webhook_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    replayEvents: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @example 01994a5e-7c00-7000-8000-000000000005 */
                WebhookID: components["parameters"]["WebhookID"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "EventIDs": [
                 *         "01994a5e-7c00-7000-8000-000000000004"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Replay"];
            };
        };
        responses: {
            /** @description The number of events that will be sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Deliveries": 1
                     *     }
                     */
                    "application/json": {
                        /** @description The number of events, or of batches of statements, that will be sent again. */
                        Deliveries: number;
                    };
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found.webhook_not_found"];
            409: components["responses"]["in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.
                 * @example 50
                 */
                Limit?: components["parameters"]["Limit"];
                /** @description `NextCursor` of the previous page, an opaque string. */
                Cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Sort order. Default: oldest.
                 * @example oldest
                 */
                Order?: components["parameters"]["Order"];
                /** @example tenant.created */
                Action?: "tenant.created" | "tenant.changed" | "branding.changed" | "tenant.suspended" | "tenant.resumed" | "tenant.clock_moved" | "tenant.exported" | "tenant.deleted" | "tenant.deletion_finished" | "key.created" | "key.revoked" | "administrator.created" | "user.access_changed" | "user.erased" | "user.exported" | "invitation.created" | "invitation.revoked" | "invitation_link.created" | "password_reset.requested" | "mail.bounced" | "mail.bounce_cleared" | "sign_in_link.created" | "sign_in.succeeded" | "sign_in.failed" | "operator.signed_in" | "sessions.ended" | "passkey.added" | "passkey.renamed" | "passkey.removed" | "enrolment.overridden" | "enrolment.unit_waived" | "enrolment.withdrawn" | "enrolment.reinstated" | "enrolment.end_changed" | "enrolment.details_changed" | "enrolment.reset" | "enrolment_key.issued" | "enrolment_key.revoked" | "webhook.created" | "webhook.changed" | "webhook.secret_rotated" | "webhook.deleted" | "webhook.replayed" | "report_schedule.created" | "report_schedule.changed" | "report_schedule.run_requested" | "report_schedule.deleted" | "course.created" | "course.changed" | "course.deleted" | "release.imported" | "release.made_current" | "option.created" | "option.changed" | "option.deleted" | "signing_keys.rotated" | "backup.created" | "backup.restored" | "audit.began" | "audit.head_unverified";
                /**
                 * @description ID of a key or session.
                 * @example 01994a5e-7c00-7000-8000-000000000003
                 */
                ActorID?: string;
                /**
                 * @description LoginID of the user who acted or was affected; includes entries about their enrolments. The operator must also send the Tenant header.
                 * @example ada
                 */
                LoginID?: string;
                /**
                 * @description ID of the changed object, such as an EnrollID, KeyID or CourseID.
                 * @example 01994a5e-7c00-7000-8000-000000000001
                 */
                TargetID?: string;
                /**
                 * @description Entries from this time on.
                 * @example 2026-01-31T09:00:00Z
                 */
                After?: string;
                /**
                 * @description Entries before this time.
                 * @example 2026-01-31T09:00:00Z
                 */
                Before?: string;
            };
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries. Without the Tenant header, the operator gets the entries of all tenants and of the deployment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Items": [
                     *         {
                     *           "AuditID": "01994a5e-7c00-7000-8000-000000000008",
                     *           "TenantID": "acme",
                     *           "Number": 1,
                     *           "At": "2026-01-31T09:00:00Z",
                     *           "Action": "tenant.created",
                     *           "Actor": "key",
                     *           "ActorID": "01994a5e-7c00-7000-8000-000000000003",
                     *           "ActorName": "HR system",
                     *           "Address": "203.0.113.7",
                     *           "RequestID": "01994a5e-7c00-7000-8000-000000000009",
                     *           "Target": "tenant",
                     *           "TargetID": "01994a5e-7c00-7000-8000-000000000001",
                     *           "TargetName": "ada",
                     *           "Data": {},
                     *           "Hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *         }
                     *       ],
                     *       "NextCursor": null
                     *     }
                     */
                    "application/json": {
                        Items: components["schemas"]["AuditEntry"][];
                        /** @description null on the last page. */
                        NextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getStatements: {
        parameters: {
            query?: {
                /** @description One statement. Cannot be combined with filters. */
                statementId?: string;
                /** @description One voided statement. Cannot be combined with filters. */
                voidedStatementId?: string;
                /** @description JSON of an Agent or identified Group. Selects statements whose actor or object is this agent, or a group that contains it. */
                agent?: string;
                /** @description IRI of the verb. */
                verb?: string;
                /** @description IRI of the activity that is the object. */
                activity?: string;
                /** @description UUID of the registration. Lectern uses the EnrollID. */
                registration?: string;
                /** @description `true`: the activity can be anywhere in the statement. */
                related_activities?: string;
                /** @description `true`: the agent can be anywhere in the statement. */
                related_agents?: string;
                /** @description Only statements stored after this time. */
                since?: string;
                /** @description Only statements stored at or before this time. */
                until?: string;
                /** @description Maximum number of statements on a page, at most 200. */
                limit?: string;
                /** @description `true`: oldest first. */
                ascending?: string;
                /**
                 * @description How statements are shown. `canonical`: with the definitions that the LRS knows, in the language of Accept-Language. Default: exact.
                 * @example exact
                 */
                format?: "exact" | "ids" | "canonical";
                /** @description `true`: a multipart/mixed response with the contents of attachments. */
                attachments?: string;
                /** @description An opaque string from the link in `more`. */
                cursor?: string;
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of statements, or the statement with the requested ID. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "statements": [
                     *         {
                     *           "id": "12345678-1234-5678-8234-567812345678",
                     *           "actor": {
                     *             "objectType": "Agent",
                     *             "account": {
                     *               "homePage": "https://hr.example.com",
                     *               "name": "u-1001"
                     *             }
                     *           },
                     *           "verb": {
                     *             "id": "http://adlnet.gov/expapi/verbs/completed",
                     *             "display": {
                     *               "en-GB": "completed"
                     *             }
                     *           },
                     *           "object": {
                     *             "objectType": "Activity",
                     *             "id": "https://courses.example.com/fire-safety",
                     *             "definition": {
                     *               "name": {
                     *                 "en-GB": "Fire safety"
                     *               }
                     *             }
                     *           },
                     *           "result": {
                     *             "completion": true,
                     *             "duration": "PT12M"
                     *           },
                     *           "authority": {
                     *             "objectType": "Agent",
                     *             "account": {
                     *               "homePage": "https://lectern.example.com",
                     *               "name": "01994a5e-7c00-7000-8000-000000000001"
                     *             }
                     *           },
                     *           "version": "2.0.0",
                     *           "stored": "2026-01-31T09:00:00.000Z",
                     *           "timestamp": "2026-01-31T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "more": ""
                     *     }
                     */
                    "application/json": components["schemas"]["StatementResult"] | components["schemas"]["Statement"];
                    /**
                     * @example {
                     *       "statements": [
                     *         {
                     *           "id": "12345678-1234-5678-8234-567812345678",
                     *           "actor": {
                     *             "objectType": "Agent",
                     *             "account": {
                     *               "homePage": "https://hr.example.com",
                     *               "name": "u-1001"
                     *             }
                     *           },
                     *           "verb": {
                     *             "id": "http://adlnet.gov/expapi/verbs/completed",
                     *             "display": {
                     *               "en-GB": "completed"
                     *             }
                     *           },
                     *           "object": {
                     *             "objectType": "Activity",
                     *             "id": "https://courses.example.com/fire-safety",
                     *             "definition": {
                     *               "name": {
                     *                 "en-GB": "Fire safety"
                     *               }
                     *             }
                     *           },
                     *           "result": {
                     *             "completion": true,
                     *             "duration": "PT12M"
                     *           },
                     *           "authority": {
                     *             "objectType": "Agent",
                     *             "account": {
                     *               "homePage": "https://lectern.example.com",
                     *               "name": "01994a5e-7c00-7000-8000-000000000001"
                     *             }
                     *           },
                     *           "version": "2.0.0",
                     *           "stored": "2026-01-31T09:00:00.000Z",
                     *           "timestamp": "2026-01-31T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "more": ""
                     *     }
                     */
                    "multipart/mixed": components["schemas"]["StatementResult"] | components["schemas"]["Statement"];
                };
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["tenant_not_found.statement_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    putStatement: {
        parameters: {
            query: {
                /**
                 * @description The ID of the statement, a UUID.
                 * @example 12345678-1234-5678-8234-567812345678
                 */
                statementId: string;
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "12345678-1234-5678-8234-567812345678",
                 *       "actor": {
                 *         "objectType": "Agent",
                 *         "account": {
                 *           "homePage": "https://hr.example.com",
                 *           "name": "u-1001"
                 *         }
                 *       },
                 *       "verb": {
                 *         "id": "http://adlnet.gov/expapi/verbs/completed",
                 *         "display": {
                 *           "en-GB": "completed"
                 *         }
                 *       },
                 *       "object": {
                 *         "objectType": "Activity",
                 *         "id": "https://courses.example.com/fire-safety",
                 *         "definition": {
                 *           "name": {
                 *             "en-GB": "Fire safety"
                 *           }
                 *         }
                 *       },
                 *       "result": {
                 *         "completion": true,
                 *         "duration": "PT12M"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Statement"] | components["schemas"]["Statement"][];
                "multipart/mixed": unknown;
            };
        };
        responses: {
            /** @description The statement is stored. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            409: components["responses"]["statement_conflict.storage_limit"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    postStatements: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "12345678-1234-5678-8234-567812345678",
                 *       "actor": {
                 *         "objectType": "Agent",
                 *         "account": {
                 *           "homePage": "https://hr.example.com",
                 *           "name": "u-1001"
                 *         }
                 *       },
                 *       "verb": {
                 *         "id": "http://adlnet.gov/expapi/verbs/completed",
                 *         "display": {
                 *           "en-GB": "completed"
                 *         }
                 *       },
                 *       "object": {
                 *         "objectType": "Activity",
                 *         "id": "https://courses.example.com/fire-safety",
                 *         "definition": {
                 *           "name": {
                 *             "en-GB": "Fire safety"
                 *           }
                 *         }
                 *       },
                 *       "result": {
                 *         "completion": true,
                 *         "duration": "PT12M"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Statement"] | components["schemas"]["Statement"][];
                "multipart/mixed": unknown;
            };
        };
        responses: {
            /** @description The IDs of the statements, in order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       "12345678-1234-5678-8234-567812345678"
                     *     ]
                     */
                    "application/json": string[];
                };
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            409: components["responses"]["in_progress.statement_conflict.storage_limit"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getState: {
        parameters: {
            query: {
                /**
                 * @description IRI of the activity.
                 * @example https://courses.example.com/fire-safety
                 */
                activityId: components["parameters"]["activityId"];
                /**
                 * @description JSON of an Agent or identified Group.
                 * @example {"objectType":"Agent","account":{"homePage":"https://hr.example.com","name":"u-1001"}}
                 */
                agent: components["parameters"]["agent"];
                /** @description UUID of the registration. */
                registration?: components["parameters"]["registration"];
                /** @description ID of the document. Without it, the request applies to all documents. */
                stateId?: string;
                /** @description Only the IDs of documents changed after this time. */
                since?: components["parameters"]["since"];
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document with its ETag, or the IDs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       "resume"
                     *     ]
                     */
                    "application/json": string[] | unknown;
                    /**
                     * @example [
                     *       "resume"
                     *     ]
                     */
                    "application/octet-stream": string[] | unknown;
                };
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["tenant_not_found.document_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    putState: {
        parameters: {
            query: {
                /**
                 * @description IRI of the activity.
                 * @example https://courses.example.com/fire-safety
                 */
                activityId: components["parameters"]["activityId"];
                /**
                 * @description JSON of an Agent or identified Group.
                 * @example {"objectType":"Agent","account":{"homePage":"https://hr.example.com","name":"u-1001"}}
                 */
                agent: components["parameters"]["agent"];
                /** @description UUID of the registration. */
                registration?: components["parameters"]["registration"];
                /**
                 * @description ID of the document.
                 * @example resume
                 */
                stateId: components["parameters"]["stateId"];
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bookmark": "page-3"
                 *     }
                 */
                "application/json": unknown;
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description The document is stored. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            409: components["responses"]["document_conflict.document_limit.storage_limit"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    postState: {
        parameters: {
            query: {
                /**
                 * @description IRI of the activity.
                 * @example https://courses.example.com/fire-safety
                 */
                activityId: components["parameters"]["activityId"];
                /**
                 * @description JSON of an Agent or identified Group.
                 * @example {"objectType":"Agent","account":{"homePage":"https://hr.example.com","name":"u-1001"}}
                 */
                agent: components["parameters"]["agent"];
                /** @description UUID of the registration. */
                registration?: components["parameters"]["registration"];
                /**
                 * @description ID of the document.
                 * @example resume
                 */
                stateId: components["parameters"]["stateId"];
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bookmark": "page-3"
                 *     }
                 */
                "application/json": unknown;
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description The document is stored. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            409: components["responses"]["in_progress.document_limit.storage_limit"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    deleteState: {
        parameters: {
            query: {
                /**
                 * @description IRI of the activity.
                 * @example https://courses.example.com/fire-safety
                 */
                activityId: components["parameters"]["activityId"];
                /**
                 * @description JSON of an Agent or identified Group.
                 * @example {"objectType":"Agent","account":{"homePage":"https://hr.example.com","name":"u-1001"}}
                 */
                agent: components["parameters"]["agent"];
                /** @description UUID of the registration. */
                registration?: components["parameters"]["registration"];
                /** @description ID of the document. Without it, the request applies to all documents. */
                stateId?: string;
                /** @description Only the IDs of documents changed after this time. */
                since?: components["parameters"]["since"];
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document no longer exists. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getActivityProfile: {
        parameters: {
            query: {
                /**
                 * @description IRI of the activity.
                 * @example https://courses.example.com/fire-safety
                 */
                activityId: components["parameters"]["activityId"];
                /** @description ID of the document. Without it, the request applies to all documents. */
                profileId?: string;
                /** @description Only the IDs of documents changed after this time. */
                since?: components["parameters"]["since"];
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document with its ETag, or the IDs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       "resume"
                     *     ]
                     */
                    "application/json": string[] | unknown;
                    /**
                     * @example [
                     *       "resume"
                     *     ]
                     */
                    "application/octet-stream": string[] | unknown;
                };
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["tenant_not_found.document_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    putActivityProfile: {
        parameters: {
            query: {
                /**
                 * @description IRI of the activity.
                 * @example https://courses.example.com/fire-safety
                 */
                activityId: components["parameters"]["activityId"];
                /**
                 * @description ID of the document.
                 * @example settings
                 */
                profileId: string;
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bookmark": "page-3"
                 *     }
                 */
                "application/json": unknown;
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description The document is stored. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            409: components["responses"]["document_conflict.document_limit.storage_limit"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    postActivityProfile: {
        parameters: {
            query: {
                /**
                 * @description IRI of the activity.
                 * @example https://courses.example.com/fire-safety
                 */
                activityId: components["parameters"]["activityId"];
                /**
                 * @description ID of the document.
                 * @example settings
                 */
                profileId: string;
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bookmark": "page-3"
                 *     }
                 */
                "application/json": unknown;
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description The document is stored. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            409: components["responses"]["in_progress.document_limit.storage_limit"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    deleteActivityProfile: {
        parameters: {
            query: {
                /**
                 * @description IRI of the activity.
                 * @example https://courses.example.com/fire-safety
                 */
                activityId: components["parameters"]["activityId"];
                /**
                 * @description ID of the document.
                 * @example settings
                 */
                profileId: string;
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document no longer exists. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getAgentProfile: {
        parameters: {
            query: {
                /**
                 * @description JSON of an Agent or identified Group.
                 * @example {"objectType":"Agent","account":{"homePage":"https://hr.example.com","name":"u-1001"}}
                 */
                agent: components["parameters"]["agent"];
                /** @description ID of the document. Without it, the request applies to all documents. */
                profileId?: string;
                /** @description Only the IDs of documents changed after this time. */
                since?: components["parameters"]["since"];
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document with its ETag, or the IDs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       "resume"
                     *     ]
                     */
                    "application/json": string[] | unknown;
                    /**
                     * @example [
                     *       "resume"
                     *     ]
                     */
                    "application/octet-stream": string[] | unknown;
                };
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["tenant_not_found.document_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    putAgentProfile: {
        parameters: {
            query: {
                /**
                 * @description JSON of an Agent or identified Group.
                 * @example {"objectType":"Agent","account":{"homePage":"https://hr.example.com","name":"u-1001"}}
                 */
                agent: components["parameters"]["agent"];
                /**
                 * @description ID of the document.
                 * @example preferences
                 */
                profileId: components["parameters"]["profileId"];
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bookmark": "page-3"
                 *     }
                 */
                "application/json": unknown;
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description The document is stored. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            409: components["responses"]["document_conflict.document_limit.storage_limit"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    postAgentProfile: {
        parameters: {
            query: {
                /**
                 * @description JSON of an Agent or identified Group.
                 * @example {"objectType":"Agent","account":{"homePage":"https://hr.example.com","name":"u-1001"}}
                 */
                agent: components["parameters"]["agent"];
                /**
                 * @description ID of the document.
                 * @example preferences
                 */
                profileId: components["parameters"]["profileId"];
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bookmark": "page-3"
                 *     }
                 */
                "application/json": unknown;
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description The document is stored. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            409: components["responses"]["in_progress.document_limit.storage_limit"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    deleteAgentProfile: {
        parameters: {
            query: {
                /**
                 * @description JSON of an Agent or identified Group.
                 * @example {"objectType":"Agent","account":{"homePage":"https://hr.example.com","name":"u-1001"}}
                 */
                agent: components["parameters"]["agent"];
                /**
                 * @description ID of the document.
                 * @example preferences
                 */
                profileId: components["parameters"]["profileId"];
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document no longer exists. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getAgents: {
        parameters: {
            query: {
                /**
                 * @description JSON of an Agent.
                 * @example {"objectType":"Agent","account":{"homePage":"https://hr.example.com","name":"u-1001"}}
                 */
                agent: string;
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent as a Person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "objectType": "Person",
                     *       "account": [
                     *         {
                     *           "homePage": "https://hr.example.com",
                     *           "name": "u-1001"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Person"];
                };
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getActivities: {
        parameters: {
            query: {
                /**
                 * @description IRI of the activity.
                 * @example https://courses.example.com/fire-safety
                 */
                activityId: components["parameters"]["activityId"];
            };
            header: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.
                 * @example 2.0.0
                 */
                "X-Experience-API-Version": components["parameters"]["X-Experience-API-Version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The activity with its definition. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "objectType": "Activity",
                     *       "id": "https://courses.example.com/fire-safety",
                     *       "definition": {
                     *         "name": {
                     *           "en-GB": "Fire safety"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Activity"];
                };
            };
            400: components["responses"]["malformed_request.xapi_invalid.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.cmi5_violation.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getAbout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The versions, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": [
                     *         "2.0.0"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["About"];
                };
            };
            400: components["responses"]["malformed_request"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    waiveUnit: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description Identifies the user, for example by their ID in the client's own system: 1–255 characters of any script, but not just one or two dots. It cannot be changed.
                 * @example ada
                 */
                LoginID: components["parameters"]["LoginID"];
                /**
                 * @description Opaque ID of the enrolment.
                 * @example 01994a5e-7c00-7000-8000-000000000001
                 */
                EnrollID: components["parameters"]["EnrollID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "UnitID": "lesson-1",
                 *       "Reason": "Passed the practical exam."
                 *     }
                 */
                "application/json": components["schemas"]["Waiver"];
            };
        };
        responses: {
            /** @description The enrolment with its new result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *       "LoginID": "ada",
                     *       "CourseID": "fire-safety",
                     *       "DurationID": "30-days",
                     *       "CourseTitle": "Fire safety",
                     *       "Status": "enrolled",
                     *       "Completion": "unknown",
                     *       "Success": "unknown",
                     *       "Score": 85,
                     *       "Override": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85,
                     *         "Reason": "Passed the practical exam.",
                     *         "At": "2026-01-31T09:00:00Z"
                     *       },
                     *       "Recorded": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85
                     *       },
                     *       "Progress": 100,
                     *       "TotalSeconds": 1260,
                     *       "EnrolledAt": "2026-01-31T09:00:00Z",
                     *       "StartedAt": "2026-01-31T09:00:00Z",
                     *       "LastAccessedAt": "2026-01-31T09:00:00Z",
                     *       "CompletedAt": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "Launches": 1,
                     *       "Attempts": {
                     *         "Limit": 3,
                     *         "CoolDown": "P1D",
                     *         "Counts": "best",
                     *         "After": "failed",
                     *         "Review": false
                     *       },
                     *       "Attempt": 1,
                     *       "AttemptsUsed": 1,
                     *       "Reference": "order-4711",
                     *       "Metadata": {
                     *         "cohort": "spring"
                     *       },
                     *       "LaunchURL": "https://lectern.example.com/launch?key=c2lnbmF0dXJl&enrolment=01994a5e-7c00-7000-8000-000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["Enrolment"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.enrolment_not_found.tenant_not_found"];
            409: components["responses"]["not_waivable.in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    launch: {
        parameters: {
            query?: {
                /** @description Part of the LaunchURL. */
                enrolment?: unknown;
                /** @description Part of the LaunchURL. */
                key?: unknown;
                /** @description true opens the latest attempt for review if no new one can start and the rules for attempts permit it (`Review`). It never starts an attempt. */
                review?: unknown;
                /** @description Where to send the learner afterwards: an http(s) URL, percent-encoded, or raw as the last parameter with its own ? and &. */
                returnURL?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirects to the player on the content origin. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            /** @description A page that tells the learner why the course cannot be opened. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page that says that the launch link is not valid. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    previewCourse: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /** @description Number of a release of the course. */
                    Release?: number;
                };
            };
        };
        responses: {
            /** @description The preview, in which nothing is recorded. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "PreviewURL": "https://content.example.com/preview?ticket=eyJhbGciOi",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Preview"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.operator_only.own_only.passkey_required.cross_site.tenant_suspended"];
            404: components["responses"]["course_not_found.release_not_found.tenant_not_found"];
            409: components["responses"]["course_not_playable.in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    previewOfferedCourse: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description ID of the course. Chosen by the operator.
                 * @example fire-safety
                 */
                CourseID: components["parameters"]["CourseID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The preview, in which nothing is recorded. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "PreviewURL": "https://content.example.com/preview?ticket=eyJhbGciOi",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Preview"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.course_not_found.tenant_not_found"];
            409: components["responses"]["course_not_playable.in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readClock: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tenant's time. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Now": "2026-02-28T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Clock"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["tenant_not_found"];
            409: components["responses"]["not_a_test_tenant"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    moveClock: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Advance": "P30D"
                 *     }
                 */
                "application/json": components["schemas"]["ClockMove"];
            };
        };
        responses: {
            /** @description The tenant's new time. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Now": "2026-02-28T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Clock"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended"];
            404: components["responses"]["user_not_found.tenant_not_found"];
            409: components["responses"]["not_a_test_tenant.in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    playCourse: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.
                 * @example acme
                 */
                Tenant?: components["parameters"]["Tenant"];
                /**
                 * @description Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.
                 * @example order-4711
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @example 01994a5e-7c00-7000-8000-000000000001 */
                EnrollID: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Status": "passed",
                 *       "Score": 85
                 *     }
                 */
                "application/json": components["schemas"]["Play"];
            };
        };
        responses: {
            /** @description The enrolment with its result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *       "LoginID": "ada",
                     *       "CourseID": "fire-safety",
                     *       "DurationID": "30-days",
                     *       "CourseTitle": "Fire safety",
                     *       "Status": "enrolled",
                     *       "Completion": "unknown",
                     *       "Success": "unknown",
                     *       "Score": 85,
                     *       "Override": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85,
                     *         "Reason": "Passed the practical exam.",
                     *         "At": "2026-01-31T09:00:00Z"
                     *       },
                     *       "Recorded": {
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85
                     *       },
                     *       "Progress": 100,
                     *       "TotalSeconds": 1260,
                     *       "EnrolledAt": "2026-01-31T09:00:00Z",
                     *       "StartedAt": "2026-01-31T09:00:00Z",
                     *       "LastAccessedAt": "2026-01-31T09:00:00Z",
                     *       "CompletedAt": "2026-01-31T09:00:00Z",
                     *       "ExpiresAt": "2026-01-31T09:00:00Z",
                     *       "Launches": 1,
                     *       "Attempts": {
                     *         "Limit": 3,
                     *         "CoolDown": "P1D",
                     *         "Counts": "best",
                     *         "After": "failed",
                     *         "Review": false
                     *       },
                     *       "Attempt": 1,
                     *       "AttemptsUsed": 1,
                     *       "Reference": "order-4711",
                     *       "Metadata": {
                     *         "cohort": "spring"
                     *       },
                     *       "LaunchURL": "https://lectern.example.com/launch?key=c2lnbmF0dXJl&enrolment=01994a5e-7c00-7000-8000-000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["Enrolment"];
                };
            };
            400: components["responses"]["malformed_request.session_ambiguous.tenant_required"];
            401: components["responses"]["unauthorized.signed_out"];
            403: components["responses"]["scope_missing.own_only.passkey_required.cross_site.tenant_not_allowed.tenant_suspended.access_expired.enrolment_withdrawn.launch_refused"];
            404: components["responses"]["user_not_found.enrolment_not_found.tenant_not_found"];
            409: components["responses"]["user_disabled.course_not_playable.not_a_test_tenant.in_progress.storage_limit.session_superseded"];
            410: components["responses"]["session_ended.enrolment_erased"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed.unknown_field.idempotency_key_reused"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    openPlayer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ticket from a launch or preview link.
                 * @example eyJhbGciOiJkaXIifQ
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The player page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["malformed_request"];
            /** @description A page that says that the link is unknown or has expired. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            /** @description A page that says that the link belongs to another host name. */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    openPreview: {
        parameters: {
            query?: {
                /** @description Part of the PreviewURL. */
                ticket?: unknown;
                /** @description Where to send the user afterwards, as in a launch link. */
                returnURL?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirects to the player. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            /** @description A page that says that the tenant is suspended. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page that says that the link is incomplete or has expired. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            /** @description A page that says that the link belongs to another host name. */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    openSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ticket from a launch or preview link.
                 * @example eyJhbGciOiJkaXIifQ
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Session": "eyJhbGciOiJkaXIifQ",
                     *       "Mode": "normal",
                     *       "Launch": 1,
                     *       "NextCommit": 1,
                     *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                     *       "CourseTitle": "Fire safety",
                     *       "Language": "en",
                     *       "Branding": {
                     *         "Name": "30 days",
                     *         "Language": "en",
                     *         "Colour": "#0057b8",
                     *         "Light": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         },
                     *         "Dark": {
                     *           "Fill": "#0057b8",
                     *           "OnFill": "#ffffff",
                     *           "Soft": "#e0ebf6",
                     *           "Text": "#0057b8"
                     *         },
                     *         "LogoPath": null
                     *       },
                     *       "Learner": {
                     *         "ID": "ada",
                     *         "Name": "30 days"
                     *       },
                     *       "Standard": "scorm12",
                     *       "Tree": {},
                     *       "ContentPath": "/play/eyJhbGciOiJkaXIifQ/content/",
                     *       "Data": {},
                     *       "Evidence": {},
                     *       "TreeState": null,
                     *       "Shared": {
                     *         "globals": [],
                     *         "buckets": []
                     *       },
                     *       "LastUnitID": null,
                     *       "ReturnURL": null,
                     *       "Receipt": {
                     *         "Number": 1,
                     *         "Status": "completed",
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85,
                     *         "Progress": 100,
                     *         "Ended": null,
                     *         "Warning": "data_not_stored",
                     *         "Preview": "eyJhbGciOiJkaXIifQ"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PlayerSession"];
                };
            };
            400: components["responses"]["malformed_request"];
            403: components["responses"]["tenant_suspended.access_expired.enrolment_withdrawn.launch_refused"];
            404: components["responses"]["course_not_found.release_not_found.tenant_not_found"];
            409: components["responses"]["user_disabled.course_not_playable.session_superseded"];
            410: components["responses"]["session_ended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["wrong_host"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    commit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `Session` from the response that opened the session.
                 * @example eyJhbGciOiJkaXIifQ
                 */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Number": 1,
                 *       "UnitID": "lesson-1",
                 *       "Data": {
                 *         "cmi.core.lesson_status": "completed",
                 *         "cmi.core.score.raw": "85"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Commit"];
            };
        };
        responses: {
            /** @description The receipt, with the current state of the enrolment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Number": 1,
                     *       "Status": "completed",
                     *       "Completion": "unknown",
                     *       "Success": "unknown",
                     *       "Score": 85,
                     *       "Progress": 100,
                     *       "Ended": null,
                     *       "Warning": "data_not_stored",
                     *       "Preview": "eyJhbGciOiJkaXIifQ"
                     *     }
                     */
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["malformed_request"];
            403: components["responses"]["tenant_suspended.enrolment_withdrawn"];
            404: components["responses"]["course_not_found.release_not_found.tenant_not_found"];
            409: components["responses"]["user_disabled.course_not_playable.results_too_late.commit_number_ahead"];
            410: components["responses"]["session_ended.session_exited.enrolment_erased"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["wrong_host"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    keepSessionAlive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `Session` from the response that opened the session.
                 * @example eyJhbGciOiJkaXIifQ
                 */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session is still open. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            403: components["responses"]["tenant_suspended.access_expired.enrolment_withdrawn"];
            404: components["responses"]["tenant_not_found"];
            409: components["responses"]["user_disabled.session_superseded"];
            410: components["responses"]["session_ended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["wrong_host"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readCourseFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `Session` from the response that opened the session.
                 * @example eyJhbGciOiJkaXIifQ
                 */
                token: components["parameters"]["token"];
                /**
                 * @description Path of the file in its package; may contain slashes.
                 * @example lesson-1/index.html
                 */
                Path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, with a content type that matches its name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The requested range of the file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The client already has the current file. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["malformed_request"];
            403: components["responses"]["tenant_suspended.access_expired.enrolment_withdrawn"];
            /** @description A page for the learner, if a window or frame requested the file. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code?: "not_found" | "tenant_not_found";
                    };
                };
            };
            409: components["responses"]["user_disabled.session_superseded"];
            410: components["responses"]["session_ended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            416: components["responses"]["range_not_satisfiable"];
            421: components["responses"]["wrong_host"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readPlayerLogo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `Session` from the response that opened the session.
                 * @example eyJhbGciOiJkaXIifQ
                 */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The image. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "image/jpeg": string;
                    "image/webp": string;
                };
            };
            400: components["responses"]["malformed_request"];
            403: components["responses"]["tenant_suspended.access_expired.enrolment_withdrawn"];
            404: components["responses"]["not_found.tenant_not_found"];
            409: components["responses"]["user_disabled.session_superseded"];
            410: components["responses"]["session_ended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["wrong_host"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    openUnit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `Session` from the response that opened the session.
                 * @example eyJhbGciOiJkaXIifQ
                 */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "UnitID": "lesson-1"
                 *     }
                 */
                "application/json": components["schemas"]["AuOpening"];
            };
        };
        responses: {
            /** @description The session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "SessionID": "01994a5e-7c00-7000-8000-000000000000",
                     *       "URL": "https://courses.example.com/fire-safety",
                     *       "OwnWindow": true,
                     *       "LaunchMode": "Normal"
                     *     }
                     */
                    "application/json": components["schemas"]["OpenedUnit"];
                };
            };
            400: components["responses"]["malformed_request"];
            403: components["responses"]["tenant_suspended.access_expired.enrolment_withdrawn"];
            404: components["responses"]["tenant_not_found"];
            409: components["responses"]["user_disabled.course_not_playable.session_superseded"];
            410: components["responses"]["session_ended.enrolment_erased"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["wrong_host"];
            422: components["responses"]["validation_failed.unknown_field"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    readSessionResults: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `Session` from the response that opened the session.
                 * @example eyJhbGciOiJkaXIifQ
                 */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The results. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Receipt": {
                     *         "Number": 1,
                     *         "Status": "completed",
                     *         "Completion": "unknown",
                     *         "Success": "unknown",
                     *         "Score": 85,
                     *         "Progress": 100,
                     *         "Ended": null,
                     *         "Warning": "data_not_stored",
                     *         "Preview": "eyJhbGciOiJkaXIifQ"
                     *       },
                     *       "Evidence": {},
                     *       "Refused": null
                     *     }
                     */
                    "application/json": components["schemas"]["Results"];
                };
            };
            400: components["responses"]["malformed_request"];
            403: components["responses"]["tenant_suspended.access_expired.enrolment_withdrawn"];
            404: components["responses"]["enrolment_not_found.tenant_not_found"];
            409: components["responses"]["user_disabled.course_not_playable.session_superseded"];
            410: components["responses"]["session_ended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["wrong_host"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    fetchToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `Session` from the response that opened the session.
                 * @example eyJhbGciOiJkaXIifQ
                 */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token, or an error as cmi5 defines it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "auth-token": "YXU6c2VjcmV0"
                     *     }
                     */
                    "application/json": components["schemas"]["AuToken"];
                };
            };
            400: components["responses"]["malformed_request"];
            403: components["responses"]["tenant_suspended.access_expired.enrolment_withdrawn"];
            404: components["responses"]["tenant_not_found"];
            409: components["responses"]["user_disabled.session_superseded"];
            410: components["responses"]["session_ended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["wrong_host"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    returnFromUnit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `Session` from the response that opened the session.
                 * @example eyJhbGciOiJkaXIifQ
                 */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page that says that the learner has left the unit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["malformed_request"];
            /** @description A page that says that the link has expired. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            410: components["responses"]["session_ended"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["too_many_requests"];
            500: components["responses"]["internal_error"];
            503: components["responses"]["unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    reportByHacp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Part of the URL that the content received when it was opened.
                 * @example eyJhbGciOiJkaXIifQ
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example command=GetParam&version=4.0&session_id=0199d3f0-0000-7000-8000-000000000001&aicc_data= */
                "application/x-www-form-urlencoded": unknown;
            };
        };
        responses: {
            /** @description The HACP response. `error=3` means that the session has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example error=0
                     *     error_text=Successful
                     *     version=4.0
                     */
                    "text/plain": string;
                };
            };
            /** @description The request could not be read. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example error=1
                     *     error_text=The request failed
                     *     version=4.0
                     */
                    "text/plain": string;
                };
            };
            /** @description The body is larger than 4 MiB. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example error=1
                     *     error_text=The request failed
                     *     version=4.0
                     */
                    "text/plain": string;
                };
            };
            /** @description The body is compressed. Send it without `Content-Encoding`. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example error=1
                     *     error_text=The request failed
                     *     version=4.0
                     */
                    "text/plain": string;
                };
            };
            /** @description Too many requests. Retry after the number of seconds in `Retry-After`. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example error=1
                     *     error_text=The request failed
                     *     version=4.0
                     */
                    "text/plain": string;
                };
            };
            /** @description The service failed to process the request. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example error=1
                     *     error_text=The request failed
                     *     version=4.0
                     */
                    "text/plain": string;
                };
            };
            /** @description The service is overloaded. Retry after the number of seconds in `Retry-After`. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example error=1
                     *     error_text=The request failed
                     *     version=4.0
                     */
                    "text/plain": string;
                };
            };
        };
    };
    "user.created": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": null,
                 *       "CourseID": null,
                 *       "Type": "user.created",
                 *       "Data": {
                 *         "LoginID": "ada"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "user.created";
                    Data: {
                        /** @description null once the user has been erased. */
                        LoginID: string | null;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "user.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": null,
                 *       "CourseID": null,
                 *       "Type": "user.updated",
                 *       "Data": {
                 *         "LoginID": "ada",
                 *         "Changed": [
                 *           "Email"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "user.updated";
                    Data: {
                        /** @description null once the user has been erased. */
                        LoginID: string | null;
                        /** @description Names of the changed fields. */
                        Changed: string[];
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "user.disabled": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": null,
                 *       "CourseID": null,
                 *       "Type": "user.disabled",
                 *       "Data": {
                 *         "LoginID": "ada",
                 *         "Changed": [
                 *           "Enabled"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "user.disabled";
                    Data: {
                        /** @description null once the user has been erased. */
                        LoginID: string | null;
                        /** @description Names of the changed fields. */
                        Changed: string[];
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "user.erased": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": null,
                 *       "EnrollID": null,
                 *       "CourseID": null,
                 *       "Type": "user.erased",
                 *       "Data": {
                 *         "ReceiptID": "01994a5e-7c00-7000-8000-000000000007"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "user.erased";
                    Data: {
                        /** Format: uuid */
                        ReceiptID: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "invitation.created": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": null,
                 *       "CourseID": null,
                 *       "Type": "invitation.created",
                 *       "Data": {
                 *         "LoginID": "ada",
                 *         "InvitationID": "01994a5e-7c00-7000-8000-000000000007",
                 *         "ExpiresAt": "2026-02-07T09:00:00Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "invitation.created";
                    Data: {
                        /** @description null once the user has been erased. */
                        LoginID: string | null;
                        /** Format: uuid */
                        InvitationID: string;
                        /** Format: date-time */
                        ExpiresAt: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "invitation.accepted": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": null,
                 *       "CourseID": null,
                 *       "Type": "invitation.accepted",
                 *       "Data": {
                 *         "LoginID": "ada",
                 *         "InvitationID": "01994a5e-7c00-7000-8000-000000000010"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "invitation.accepted";
                    Data: {
                        /** @description null once the user has been erased. */
                        LoginID: string | null;
                        /** Format: uuid */
                        InvitationID: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "mail.bounced": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": null,
                 *       "CourseID": null,
                 *       "Type": "mail.bounced",
                 *       "Data": {
                 *         "LoginID": "ada",
                 *         "EmailAddress": "ada@example.com",
                 *         "Kind": "permanent",
                 *         "Reason": "550 5.1.1 The email account does not exist",
                 *         "MailID": "01994a5e-7c00-7000-8000-000000000008"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "mail.bounced";
                    Data: {
                        /** @description null once the user has been erased. */
                        LoginID: string | null;
                        EmailAddress: string | null;
                        /** @enum {string} */
                        Kind: "permanent" | "temporary";
                        Reason: string | null;
                        /** Format: uuid */
                        MailID: string | null;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "enrolment.created": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                 *       "CourseID": "fire-safety",
                 *       "Type": "enrolment.created",
                 *       "Data": {
                 *         "DurationID": "30-days",
                 *         "Reference": "order-4711"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "enrolment.created";
                    Data: {
                        DurationID: string;
                        Reference: string | null;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "enrolment.updated": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                 *       "CourseID": "fire-safety",
                 *       "Type": "enrolment.updated",
                 *       "Data": {
                 *         "Changed": [
                 *           "ExpiresAt"
                 *         ],
                 *         "Status": "in_progress",
                 *         "Success": "unknown"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "enrolment.updated";
                    Data: {
                        /** @description Names of the changed fields. */
                        Changed?: string[];
                        /** @enum {string} */
                        Status?: "enrolled" | "in_progress" | "completed" | "expired" | "withdrawn";
                        /** @enum {string} */
                        Success?: "unknown" | "passed" | "failed";
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "enrolment.launched": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                 *       "CourseID": "fire-safety",
                 *       "Type": "enrolment.launched",
                 *       "Data": {
                 *         "Launch": 1,
                 *         "Status": "in_progress"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "enrolment.launched";
                    Data: {
                        Launch: number;
                        /** @enum {string} */
                        Status: "enrolled" | "in_progress" | "completed" | "expired" | "withdrawn";
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "enrolment.progressed": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                 *       "CourseID": "fire-safety",
                 *       "Type": "enrolment.progressed",
                 *       "Data": {
                 *         "Status": "in_progress",
                 *         "Completion": "incomplete",
                 *         "Success": "unknown",
                 *         "Score": null,
                 *         "Progress": 40,
                 *         "TotalSeconds": 540
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "enrolment.progressed";
                    Data: {
                        /** @enum {string} */
                        Status: "enrolled" | "in_progress" | "completed" | "expired" | "withdrawn";
                        /** @enum {string} */
                        Completion: "unknown" | "incomplete" | "completed";
                        /** @enum {string} */
                        Success: "unknown" | "passed" | "failed";
                        Score: number | null;
                        Progress: number;
                        TotalSeconds: number;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "enrolment.completed": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                 *       "CourseID": "fire-safety",
                 *       "Type": "enrolment.completed",
                 *       "Data": {
                 *         "Status": "completed",
                 *         "Completion": "completed",
                 *         "Success": "passed",
                 *         "Score": 85,
                 *         "Progress": 100,
                 *         "TotalSeconds": 1260
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "enrolment.completed";
                    Data: {
                        /** @enum {string} */
                        Status: "enrolled" | "in_progress" | "completed" | "expired" | "withdrawn";
                        /** @enum {string} */
                        Completion: "unknown" | "incomplete" | "completed";
                        /** @enum {string} */
                        Success: "unknown" | "passed" | "failed";
                        Score: number | null;
                        Progress: number;
                        TotalSeconds: number;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "enrolment.passed": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                 *       "CourseID": "fire-safety",
                 *       "Type": "enrolment.passed",
                 *       "Data": {
                 *         "Status": "completed",
                 *         "Completion": "completed",
                 *         "Success": "passed",
                 *         "Score": 85,
                 *         "Progress": 100,
                 *         "TotalSeconds": 1260
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "enrolment.passed";
                    Data: {
                        /** @enum {string} */
                        Status: "enrolled" | "in_progress" | "completed" | "expired" | "withdrawn";
                        /** @enum {string} */
                        Completion: "unknown" | "incomplete" | "completed";
                        /** @enum {string} */
                        Success: "unknown" | "passed" | "failed";
                        Score: number | null;
                        Progress: number;
                        TotalSeconds: number;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "enrolment.failed": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                 *       "CourseID": "fire-safety",
                 *       "Type": "enrolment.failed",
                 *       "Data": {
                 *         "Status": "in_progress",
                 *         "Completion": "completed",
                 *         "Success": "failed",
                 *         "Score": 45,
                 *         "Progress": 100,
                 *         "TotalSeconds": 1260
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "enrolment.failed";
                    Data: {
                        /** @enum {string} */
                        Status: "enrolled" | "in_progress" | "completed" | "expired" | "withdrawn";
                        /** @enum {string} */
                        Completion: "unknown" | "incomplete" | "completed";
                        /** @enum {string} */
                        Success: "unknown" | "passed" | "failed";
                        Score: number | null;
                        Progress: number;
                        TotalSeconds: number;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "enrolment.attempt_started": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                 *       "CourseID": "fire-safety",
                 *       "Type": "enrolment.attempt_started",
                 *       "Data": {
                 *         "Attempt": 2
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "enrolment.attempt_started";
                    Data: {
                        Attempt: number;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "enrolment.attempt_finished": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                 *       "CourseID": "fire-safety",
                 *       "Type": "enrolment.attempt_finished",
                 *       "Data": {
                 *         "Attempt": 2,
                 *         "Completion": "completed",
                 *         "Success": "passed",
                 *         "Score": 85,
                 *         "Progress": 100,
                 *         "TotalSeconds": 1260
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "enrolment.attempt_finished";
                    Data: {
                        Attempt: number;
                        /** @enum {string} */
                        Completion: "unknown" | "incomplete" | "completed";
                        /** @enum {string} */
                        Success: "unknown" | "passed" | "failed";
                        Score: number | null;
                        Progress: number;
                        TotalSeconds: number;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "enrolment.reset": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                 *       "CourseID": "fire-safety",
                 *       "Type": "enrolment.reset",
                 *       "Data": {
                 *         "Attempt": 3,
                 *         "Status": "enrolled",
                 *         "Success": "unknown"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "enrolment.reset";
                    Data: {
                        Attempt: number;
                        /** @enum {string} */
                        Status: "enrolled" | "in_progress" | "completed" | "expired" | "withdrawn";
                        /** @enum {string} */
                        Success?: "unknown" | "passed" | "failed";
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "enrolment.extended": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                 *       "CourseID": "fire-safety",
                 *       "Type": "enrolment.extended",
                 *       "Data": {
                 *         "DurationID": "30-days",
                 *         "ExpiresAt": "2026-03-31T09:00:00Z",
                 *         "Status": "in_progress",
                 *         "Reference": "order-4711"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "enrolment.extended";
                    Data: {
                        DurationID: string;
                        /** Format: date-time */
                        ExpiresAt: string | null;
                        /** @enum {string} */
                        Status: "enrolled" | "in_progress" | "completed" | "expired" | "withdrawn";
                        /** @description Reference of this extension. */
                        Reference: string | null;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "enrolment.ending": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                 *       "CourseID": "fire-safety",
                 *       "Type": "enrolment.ending",
                 *       "Data": {
                 *         "Days": 14,
                 *         "ExpiresAt": "2026-02-14T09:00:00Z",
                 *         "MailID": "01994a5e-7c00-7000-8000-000000000008"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "enrolment.ending";
                    Data: {
                        Days: number;
                        /** Format: date-time */
                        ExpiresAt: string;
                        /** Format: uuid */
                        MailID: string | null;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "enrolment.expired": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                 *       "CourseID": "fire-safety",
                 *       "Type": "enrolment.expired",
                 *       "Data": {
                 *         "Status": "expired"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "enrolment.expired";
                    Data: {
                        /** @description Names of the changed fields. */
                        Changed?: string[];
                        /** @enum {string} */
                        Status?: "enrolled" | "in_progress" | "completed" | "expired" | "withdrawn";
                        /** @enum {string} */
                        Success?: "unknown" | "passed" | "failed";
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "enrolment.withdrawn": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                 *       "CourseID": "fire-safety",
                 *       "Type": "enrolment.withdrawn",
                 *       "Data": {
                 *         "Changed": [
                 *           "Withdrawn"
                 *         ],
                 *         "Status": "withdrawn",
                 *         "Success": "unknown"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "enrolment.withdrawn";
                    Data: {
                        /** @description Names of the changed fields. */
                        Changed?: string[];
                        /** @enum {string} */
                        Status?: "enrolled" | "in_progress" | "completed" | "expired" | "withdrawn";
                        /** @enum {string} */
                        Success?: "unknown" | "passed" | "failed";
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "enrolment.renewed": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": "01994a5e-7c00-7000-8000-000000000001",
                 *       "CourseID": "fire-safety",
                 *       "Type": "enrolment.renewed",
                 *       "Data": {
                 *         "NewEnrollID": "01994a5e-7c00-7000-8000-000000000002",
                 *         "Status": "expired"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "enrolment.renewed";
                    Data: {
                        /** Format: uuid */
                        NewEnrollID: string;
                        /** @enum {string} */
                        Status: "enrolled" | "in_progress" | "completed" | "expired" | "withdrawn";
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "key.redeemed": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": "ada",
                 *       "EnrollID": null,
                 *       "CourseID": null,
                 *       "Type": "key.redeemed",
                 *       "Data": {
                 *         "KeyID": "01994a5e-7c00-7000-8000-000000000003",
                 *         "PurchaseOrder": "PO-2026-17",
                 *         "EnrollIDs": [
                 *           "01994a5e-7c00-7000-8000-000000000001"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "key.redeemed";
                    Data: {
                        /** Format: uuid */
                        KeyID: string;
                        PurchaseOrder: string | null;
                        EnrollIDs: string[];
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "course.released": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": null,
                 *       "EnrollID": null,
                 *       "CourseID": "fire-safety",
                 *       "Type": "course.released",
                 *       "Data": {
                 *         "Release": 1,
                 *         "Standard": "scorm12",
                 *         "Title": "Fire safety"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "course.released";
                    Data: {
                        Release: number;
                        Standard: string;
                        Title: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "package.imported": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": null,
                 *       "EnrollID": null,
                 *       "CourseID": "fire-safety",
                 *       "Type": "package.imported",
                 *       "Data": {
                 *         "Release": 1,
                 *         "Warnings": 0
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "package.imported";
                    Data: {
                        Release: number;
                        Warnings: number;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "report.ready": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": null,
                 *       "EnrollID": null,
                 *       "CourseID": null,
                 *       "Type": "report.ready",
                 *       "Data": {
                 *         "ScheduleID": "01994a5e-7c00-7000-8000-000000000011",
                 *         "Name": "Completion by group",
                 *         "Report": "completion",
                 *         "From": null,
                 *         "To": "2026-01-30",
                 *         "URL": "https://lectern.example.com/report/completion?By=group&AsOf=2026-01-30"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "report.ready";
                    Data: {
                        /** Format: uuid */
                        ScheduleID: string;
                        Name: string;
                        /** @enum {string} */
                        Report: "completion" | "activity" | "access";
                        /** Format: date */
                        From: string | null;
                        /** Format: date */
                        To: string;
                        URL: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.disabled": {
        parameters: {
            query?: never;
            header: {
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "EventID": "01994a5e-7c00-7000-8000-000000000004",
                 *       "OccurredAt": "2026-01-31T09:00:00Z",
                 *       "LoginID": null,
                 *       "EnrollID": null,
                 *       "CourseID": null,
                 *       "Type": "webhook.disabled",
                 *       "Data": {
                 *         "WebhookID": "01994a5e-7c00-7000-8000-000000000005",
                 *         "URL": "https://shop.example.com/lectern",
                 *         "FailingSince": "2026-01-28T09:00:00Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    EventID: string;
                    /** Format: date-time */
                    OccurredAt: string;
                    /** @description The user to whom the event relates; null if there is none or the user has been erased. */
                    LoginID: string | null;
                    /** @description The enrolment to which the event relates. */
                    EnrollID: string | null;
                    CourseID: string | null;
                    /** @constant */
                    Type: "webhook.disabled";
                    Data: {
                        /** Format: uuid */
                        WebhookID: string;
                        URL: string;
                        /** Format: date-time */
                        FailingSince: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other response is retried for 72 hours. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
