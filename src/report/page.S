/* The report page, whole, in the binary: building and running need no Node (web/README.md). */
    .section .rodata
    .global steelyard_report_page
    .global steelyard_report_page_end
    .balign 16
steelyard_report_page:
    .incbin STEELYARD_REPORT_PAGE
steelyard_report_page_end:
    .byte 0
    .section .note.GNU-stack,"",@progbits
