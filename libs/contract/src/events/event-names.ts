/** Of R-EV2. */
export const eventNames = [
  ...['Push Sent', 'Push Delivered', 'Push Opened', 'Push Failed'],
  ...['Email Sent', 'Email Delivered', 'Email Bounced', 'Email Opened', 'Email Clicked'],
  ...['Email Unsubscribed', 'Email Complained', 'Email Failed'],
  ...['SMS Sent', 'SMS Delivered', 'SMS Failed'],
  ...['WhatsApp Sent', 'WhatsApp Delivered', 'WhatsApp Failed'],
  ...['LINE Sent', 'LINE Failed', 'Kakao Sent', 'Kakao Failed'],
  ...['Inbox Delivered', 'Inbox Read', 'Inbox Opened', 'Inbox Deleted'],
] as const;
