import { REQUEST_MS, SMALL_BODY_BYTES, TEXT_LIMIT, UPLOAD_MS } from '@tidings/contract';

export const placeholders = {
  api: 'API_TOKEN',
  device: 'DEVICE_TOKEN',
  administrator: 'ADMINISTRATOR_TOKEN',
} as const;

const { api, device, administrator } = placeholders;

export const introductionOf = (url: string): string => `
Tidings sends push messages to registered devices and counts what became of them.

## Tokens

- The **administrator token** is the operator's. It is printed once, when Tidings starts for the first time. It goes into the header
  \`Authorization: Bearer ${administrator}\`.
- An **API token** is a backend's, which creates applications and sends messages. It must never be shipped in an app. It goes into the header
  \`Authorization: Api ${api}\`, or into \`auth\` of the body where a method has that field.
- A **device token** is shipped in apps. It registers devices and reports what they received, and cannot send. It goes into the header
  \`Authorization: Token ${device}\`.

An API token and a device token belong to an account and cover all or some of its applications. They are shown once, when they are made.

## First calls

With the administrator token, make an API token. The reply shows it as \`token\`:

\`\`\`sh
curl ${url}/admin/v1/tokens \\
  -H 'Authorization: Bearer ${administrator}' \\
  -H 'Content-Type: application/json' \\
  -d '{"scope":"api","applications":"all"}'
\`\`\`

With the API token, make an application. The reply shows its code:

\`\`\`sh
curl ${url}/json/1.3/createApplication \\
  -H 'Authorization: Api ${api}' \\
  -H 'Content-Type: application/json' \\
  -d '{"request":{"title":"First"}}'
\`\`\`

Then make a device token (\`"scope":"device"\`), register a device with [registerDevice](#registerDevice), send it a message with
[createMessage](#createMessage), and see what became of it with [getDeliveryFunnel](#getDeliveryFunnel).

## Replies

Methods of \`/json/1.3/\` take their parameters in \`request\`. They answer HTTP 200 with \`status_code\` 200, or with \`status_code\` 210 and
the reason in \`status_message\` when an argument is wrong. The other methods take their parameters as they are and answer what is wrong with an
HTTP status of its own.

Where a number or a boolean is wanted, the same as text is taken too: \`"3"\`, \`"true"\`, \`1\`. An optional field may be null, which means
that it is not given.

## Limits

A request has ${REQUEST_MS / 1_000} seconds, the arrival of its body included. A body over ${SMALL_BODY_BYTES / 1_024} KiB has
${UPLOAD_MS / 1_000} seconds to arrive. A body that does not arrive in time is answered with HTTP 408, and its connection is closed.

A text has up to ${TEXT_LIMIT.toLocaleString('en')} characters where its field says nothing else.

## For programs

[openapi.json](/openapi.json) holds this page as OpenAPI 3.1, [openapi-strict.json](/openapi-strict.json) as 3.0 with one type for each value, for generators of clients.
[asyncapi.json](/asyncapi.json) describes the topics.
`;
