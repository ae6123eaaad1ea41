/** Fields of inboxes. */
export const inboxWords = {
  inbox_date:
    'Day on which the message leaves the inbox, `YYYY-MM-DD`; it must be after the day of the send. Saves the message to the inbox, takes precedence over `inbox_days`.',
  inbox_days:
    'Number of days, 1 to 30, after which the message leaves the inbox; 1 if left out. Saves the message to the inbox.',
  inbox_image: 'URL of a picture for the entry in the inbox. Saves the message to the inbox.',
  'getInboxMessages.userId': 'The user whose inbox it is; the hwid of a device without a user ID.',
  'inboxStatus.userId': 'The user whose inbox it is; the hwid of a device without a user ID.',
  'getInboxMessages.hwid':
    'The calling device. If it belongs to the user, messages that it got before it had a user ID are listed, too.',
  'inboxStatus.hwid': 'The calling device. If it belongs to the user, its platform counts for `inbox_opens`.',
  'getInboxMessages.device_type': 'Platform of the calling device; has no effect.',
  'inboxStatus.device_type': 'Platform of the calling device; has no effect.',
  last_code: '`next` of the page before; empty or left out for the first page.',
  'getInboxMessages.count': 'Maximum number of messages; 0 or left out means all.',
  'getInboxMessages.messages': 'The page, newest message first.',
  'messages.inbox_id': 'Identifies the message.',
  'messages.order': 'Place in the inbox, and the code of the entry for inboxStatus. A newer message has a larger one.',
  rt: 'When the message leaves the inbox, in Unix seconds.',
  'messages.send_date': 'When the message was saved to the inbox, in Unix seconds.',
  'messages.title': 'Title; empty if there is none.',
  'messages.text': 'Text, in the language of the device that the user used last.',
  action_type: 'Target of a tap: 0 nothing, 1 a link, 2 rich media.',
  action_params:
    'JSON object with those of the payload that apply: link `l`, rich media `rm`, data `u`, `meta_data` in `md`, statistics hash `p`.',
  'messages.image': 'URL of the picture; empty if there is none.',
  'messages.status': '1 delivered, 2 read, 3 opened.',
  'messages.hash': 'Statistics hash of the message.',
  'getInboxMessages.next': 'Pass it as `last_code` for the next page. An empty page is the last one.',
  deleted: 'Orders of messages that an operator deleted.',
  new_inbox: 'Number of messages with status 1, on all pages.',
  inbox_code: '`order` of the message.',
  'inboxStatus.status': '1 delivered, 2 read, 3 opened, 4 deleted.',
  'inboxStatus.hash': 'Statistics hash of the message; has no effect.',
  'inboxStatus.time':
    'When it happened on the device, in Unix seconds or milliseconds, or as a date; now if left out. A call that is older than the last one has no effect.',
  'deleteInboxMessage.order': '`order` of the message.',
};
