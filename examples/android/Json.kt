package tidings

/** JSON as maps, lists, texts, booleans and null. Numbers are Long where they are whole, otherwise Double. */
object Json {
    fun write(value: Any?): String = when (value) {
        null -> "null"
        is Map<*, *> -> value.entries.joinToString(",", "{", "}") { (name, member) -> "${quote(name.toString())}:${write(member)}" }
        is Iterable<*> -> value.joinToString(",", "[", "]") { write(it) }
        is Number, is Boolean -> value.toString()
        else -> quote(value.toString())
    }

    fun read(text: String): Any? = Reader(text).document()

    private fun quote(text: String): String = buildString {
        append('"')
        for (char in text) when {
            char == '"' || char == '\\' -> append('\\').append(char)
            char < ' ' -> append("\\u%04x".format(char.code))
            else -> append(char)
        }
        append('"')
    }

    private class Reader(private val text: String) {
        private var at = 0

        fun document(): Any? = value().also { if (next() != END) fail() }

        private fun value(): Any? = when (next()) {
            '{' -> members()
            '[' -> items()
            '"' -> string()
            't' -> word("true", true)
            'f' -> word("false", false)
            'n' -> word("null", null)
            else -> number()
        }

        private fun members(): Map<String, Any?> = linkedMapOf<String, Any?>().also { found ->
            sequence('}') {
                next()
                val name = string()
                take(':')
                found[name] = value()
            }
        }

        private fun items(): List<Any?> = mutableListOf<Any?>().also { found -> sequence(']') { found += value() } }

        private fun sequence(end: Char, element: () -> Unit) {
            at++
            if (next() == end) return skip()
            while (true) {
                element()
                if (next() == end) return skip()
                take(',')
            }
        }

        private fun string(): String = buildString {
            take('"')
            while (true) {
                val char = text.getOrElse(at++) { fail() }
                if (char == '"') return@buildString
                append(if (char == '\\') escaped() else char)
            }
        }

        private fun escaped(): Char = when (val char = text.getOrElse(at++) { fail() }) {
            'n' -> '\n'
            't' -> '\t'
            'r' -> '\r'
            'b' -> '\b'
            'f' -> '\u000c'
            'u' -> text.drop(at).take(4).toInt(16).toChar().also { at += 4 }
            else -> char
        }

        private fun number(): Number {
            val digits = text.drop(at).takeWhile { it in "+-.eE" || it.isDigit() }
            at += digits.length
            return digits.toLongOrNull() ?: digits.toDoubleOrNull() ?: fail()
        }

        private fun word(word: String, value: Any?): Any? {
            if (!text.startsWith(word, at)) fail()
            at += word.length
            return value
        }

        private fun next(): Char {
            while (at < text.length && text[at].isWhitespace()) at++
            return text.getOrElse(at) { END }
        }

        private fun take(char: Char) = if (next() == char) skip() else fail()

        private fun skip() {
            at++
        }

        private fun fail(): Nothing = throw IllegalArgumentException("not JSON at character $at")
    }

    private const val END = '\u0000'
}
