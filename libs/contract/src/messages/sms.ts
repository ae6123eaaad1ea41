/** Fields of an SMS beside its texts, as settings of a block name them. */
interface Fields {
  readonly sms_file_urls?: readonly string[] | undefined;
}

/** The media of an MMS (Spec O). */
export const smsContent = ({ sms_file_urls: urls }: Fields) => ({ fileUrls: urls && [...urls] });
