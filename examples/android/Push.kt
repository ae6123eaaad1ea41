package tidings

/** A push of Tidings, from `RemoteMessage.data`. */
data class Push(
    val hash: String?,
    val title: String?,
    val text: String?,
    val link: String?,
    val data: String?,
    val badge: Int?,
    val tag: String?,
    val inboxCode: String?,
    val isSilent: Boolean,
) {
    companion object {
        /** Null for pushes of others. `title` of the payload is the text, and `header` the title. */
        fun from(data: Map<String, String>): Push? {
            if (data["pw_msg"] != "1") return null
            return Push(
                hash = data["p"],
                title = data["header"],
                text = data["title"],
                link = data["l"],
                data = data["u"],
                badge = data["pw_badges"]?.toIntOrNull(),
                tag = data["pw_msg_tag"],
                inboxCode = data["pw_inbox"],
                isSilent = data["silent"] == "1",
            )
        }
    }
}
