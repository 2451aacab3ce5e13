# Writes the functions with parameter packs in SQLite/Run.swift out for 0 to 24 values: Embedded
# Swift cannot specialise a pack over a protocol.
#
# A function is everything from its `@inlinable` to the closing brace of its level.
/^    @inlinable$/ { inside = 1; text = "" }
inside { text = text $0 "\n" }
!inside { print }
inside && /^    }$/ {
    inside = 0
    if (text !~ /each Value/) { printf "%s", text; next }
    for (count = 0; count <= 24; count++) {
        types = values = binds = ""
        for (i = 1; i <= count; i++) {
            types = types ", V" i ": Bindable"
            values = values ", _ v" i ": V" i
            binds = binds "        v" i ".bind(to: \&binder)\n"
        }
        copy = text
        gsub(/, each Value: Bindable/, types, copy)
        if (count == 0) sub(/<each Value: Bindable>/, "", copy)
        else sub(/<each Value: Bindable>/, "<" substr(types, 3) ">", copy)
        gsub(/, _ values: repeat each Value/, values, copy)
        gsub(/        repeat \(each values\)\.bind\(to: &binder\)\n/, binds, copy)
        printf "%s\n", copy
    }
}
