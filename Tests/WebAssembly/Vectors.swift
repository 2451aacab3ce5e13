/// The vector file of an index in `VectorFiles.names`, as this module writes it; 0 after the last.
@_expose(wasm, "vectors") @_cdecl("vectors")
public func vectors(_ index: Int32) -> UInt64 {
    guard VectorFiles.names.indices.contains(Int(index)) else { return 0 }
    return lent(VectorFiles.text(VectorFiles.names[Int(index)]))
}
