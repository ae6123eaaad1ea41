package tidings

import java.io.IOException
import java.net.HttpURLConnection
import java.net.URI
import java.util.TimeZone
import java.util.UUID

/** The request is wrong: a repeat gets the same answer. */
class TidingsRefusal(val status: Int, message: String) : Exception(message)

/** There was no answer, or the server was busy, at each try: repeat the call later. */
class TidingsUnavailable(message: String) : IOException(message)

/**
 * The methods that an app calls. They block: call them on a background thread.
 * Throws [TidingsRefusal] or [TidingsUnavailable].
 */
class TidingsClient(
    private val baseUrl: String,
    private val deviceToken: String,
    private val application: String,
    private val hwid: String,
    private val deviceType: Int = ANDROID,
    private val pause: (milliseconds: Long) -> Unit = Thread::sleep,
) {
    /** Without `pushToken` the stored one is kept, as with every field that is null. */
    fun register(pushToken: String?, language: String, userId: String? = null, appVersion: String? = null) {
        call(
            "registerDevice",
            "device_type" to deviceType,
            "push_token" to pushToken,
            "language" to language,
            "timezone" to utcOffsetSeconds(),
            "userId" to userId,
            "app_version" to appVersion,
        )
    }

    /** Removes the push token: the device gets no push until it is registered with a token. */
    fun unregister() {
        call("unregisterDevice")
    }

    fun delete() {
        call("deleteDevice")
    }

    fun reportAppOpened(language: String, appVersion: String? = null) {
        call(
            "applicationOpen",
            "device_type" to deviceType,
            "language" to language,
            "timezone" to utcOffsetSeconds(),
            "app_version" to appVersion,
        )
    }

    fun signIn(userId: String) {
        call("registerUser", "userId" to userId, "device_type" to deviceType)
    }

    /** A device without a user has its hwid as user ID. */
    fun signOut() = signIn(hwid)

    /** A null removes a value; `mapOf("operation" to "increment", "value" to 1)` adds to a number. */
    fun setTags(tags: Map<String, Any?>) {
        call("setTags", "device_type" to deviceType, "tags" to tags)
    }

    fun getTags(): Map<*, *> = (call("getTags") as Map<*, *>)["result"] as Map<*, *>

    fun setBadge(badge: Int) {
        call("setBadge", "badge" to badge)
    }

    fun reportDelivered(hash: String) {
        call("messageDeliveryEvent", "hash" to hash)
    }

    fun reportOpened(hash: String) {
        call("pushStat", "hash" to hash)
    }

    fun postEvent(event: String, attributes: Map<String, Any?> = emptyMap()) {
        val now = System.currentTimeMillis() / 1000
        call("postEvent", "event" to event, "attributes" to attributes, "timestampUTC" to now)
    }

    /** `messages`, `next` and `new_inbox`; pass `next` as `after` until `messages` is empty. */
    fun getInbox(userId: String = hwid, after: String? = null, count: Int = 20): Map<*, *> =
        call("getInboxMessages", "userId" to userId, "last_code" to after, "count" to count) as Map<*, *>

    /** 1 delivered, 2 read, 3 opened, 4 deleted; `order` is that of the entry. */
    fun setInboxStatus(order: String, status: Int, userId: String = hwid) {
        val now = System.currentTimeMillis() / 1000
        call("inboxStatus", "inbox_code" to order, "userId" to userId, "status" to status, "time" to now)
    }

    private fun utcOffsetSeconds(): Int = TimeZone.getDefault().getOffset(System.currentTimeMillis()) / 1000

    private fun call(method: String, vararg fields: Pair<String, Any?>): Any? {
        val request = mapOf("application" to application, "hwid" to hwid, *fields).filterValues { it != null }
        val body = Json.write(mapOf("request" to request)).toByteArray()
        // A repeat with the same key has no second effect.
        val key = UUID.randomUUID().toString()
        var wait = FIRST_WAIT_MS
        for (attempt in 1..TRIES) {
            val reply = try {
                send(method, body, key)
            } catch (lost: IOException) {
                null
            }
            if (reply != null && reply.status !in REPEATABLE) return reply.result()
            if (attempt < TRIES) pause(minOf(reply?.retryAfterMs ?: wait, LONGEST_WAIT_MS))
            wait *= 2
        }
        throw TidingsUnavailable("$method had no answer in $TRIES tries")
    }

    private class Reply(val status: Int, val retryAfterMs: Long?, val text: String) {
        fun result(): Any? {
            val fields = try {
                Json.read(text) as? Map<*, *>
            } catch (unreadable: IllegalArgumentException) {
                null
            }
            val code = (fields?.get("status_code") as? Number)?.toInt() ?: status
            if (code != OK || fields == null) throw TidingsRefusal(code, fields?.get("status_message")?.toString() ?: "HTTP $status")
            return fields["response"]
        }
    }

    private fun send(method: String, body: ByteArray, key: String): Reply {
        val connection = URI("$baseUrl/json/1.3/$method").toURL().openConnection() as HttpURLConnection
        connection.connectTimeout = TIMEOUT_MS
        connection.readTimeout = TIMEOUT_MS
        connection.requestMethod = "POST"
        connection.doOutput = true
        connection.setRequestProperty("Authorization", "Token $deviceToken")
        connection.setRequestProperty("Content-Type", "application/json")
        connection.setRequestProperty("Idempotency-Key", key)
        connection.outputStream.use { it.write(body) }
        val status = connection.responseCode
        val stream = if (status < 400) connection.inputStream else connection.errorStream
        val text = stream?.use { it.readBytes().decodeToString() } ?: ""
        return Reply(status, connection.getHeaderField("Retry-After")?.toLongOrNull()?.times(1000), text)
    }

    companion object {
        const val ANDROID = 3
        private const val OK = 200
        private const val TRIES = 3
        private const val FIRST_WAIT_MS = 1_000L
        private const val LONGEST_WAIT_MS = 60_000L
        private const val TIMEOUT_MS = 10_000
        private val REPEATABLE = setOf(408, 429, 500, 502, 503, 504)
    }
}
